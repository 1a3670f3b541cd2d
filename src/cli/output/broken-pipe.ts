// Ends the process if its output cannot be written.

/** EPIPE means that the reader has closed the pipe (for example `head`); that is not an error. */
export function endOnBrokenPipe(error: unknown): never {
  return process.exit(error instanceof Error && 'code' in error && error.code === 'EPIPE' ? 0 : 3)
}
