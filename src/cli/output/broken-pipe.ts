// What becomes of a command whose output cannot be written.

/** Whoever reads our output may stop reading; that is no fault. */
export function endOnBrokenPipe(error: unknown): never {
  return process.exit(error instanceof Error && 'code' in error && error.code === 'EPIPE' ? 0 : 3)
}
