// Keeps stdout for the protocol: while a server speaks over it, what other code writes there goes to stderr.

type Write = typeof process.stdout.write

export interface StdoutClaim {
  /** Writes to stdout itself. */
  readonly write: Write
  /** Gives stdout back with the last claim; a second call does nothing. */
  release(): void
}

// stdout belongs to the process, so its claims are counted here and not by each server.
let claims = 0
let original: Write | undefined

/** The write function is replaced, not `console`: that also covers `process.stdout.write` and copies of `console.log`. */
export function claimStdout(): StdoutClaim {
  const { stdout, stderr } = process
  const own = original ?? stdout.write
  if (original === undefined) {
    original = own
    stdout.write = stderr.write.bind(stderr)
  }
  claims++
  let isHeld = true
  return {
    write: own.bind(stdout),
    release() {
      if (!isHeld) return
      isHeld = false
      claims--
      if (claims > 0) return
      stdout.write = own
      original = undefined
    },
  }
}
