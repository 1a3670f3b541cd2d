// Errors that our side of a connection makes up for a request whose answer will not come; told by identity.

/** `data` of the error for an answer that was lost with its stream. */
export const STREAM_LOST: Readonly<Record<string, unknown>> = Object.freeze({ fault: 'stream-lost' })
