// Why a server could not be started or reached, for whoever wanted it.

export class StartFailure extends Error {
  override readonly name = 'StartFailure'
  readonly reason: string
  /** The end of what the server printed. */
  readonly stderr: string

  constructor(reason: string, { stderr = '', cause }: { readonly stderr?: string; readonly cause?: unknown } = {}) {
    super(stderr === '' ? reason : `${reason}; it printed: ${lastLines(stderr)}`, { cause })
    this.reason = reason
    this.stderr = stderr
  }
}

function lastLines(text: string): string {
  return text.length <= 600 ? text : `…${text.slice(-600)}`
}
