// Errors that our side of a connection creates for a request without an answer. They are compared by identity.

/** The `data` of the error for an answer that was lost with its stream. */
export const STREAM_LOST: Readonly<Record<string, unknown>> = Object.freeze({ fault: 'stream-lost' })
