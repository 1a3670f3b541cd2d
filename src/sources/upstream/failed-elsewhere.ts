// The error for a failed start at another gateway. It is apart from shared-breaker.ts, which is not always loaded.

/** Another gateway could not start the server. This gateway waits too before it tries. */
export class FailedElsewhere extends Error {
  override readonly name = 'FailedElsewhere'
  readonly waitMs: number
  /** How many starts have failed in a row. */
  readonly failures: number

  constructor(reason: string, waitMs: number, failures: number) {
    super(`another gateway could not reach it: ${reason}`)
    this.waitMs = waitMs
    this.failures = failures
  }
}
