// The failed start of a server at another gateway. In its own file: the rest is loaded only if gateways share a store.

/** Another gateway could not start the server. This one waits too. */
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
