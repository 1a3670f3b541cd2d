// Reads the code of an error of the operating system or of Node.

/** A code such as `ENOSPC` or `ERR_STREAM_DESTROYED`. Undefined for a value without a text as its code. */
export function errorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
}
