// Reserves stdout for the protocol: while a server uses it, output of other code goes to stderr.

type Write = typeof process.stdout.write

interface StdoutClaim {
  /** Writes to the real stdout. */
  readonly write: Write
  /** Restores stdout when the last claim is released. A second call does nothing. */
  release(): void
}

// Counted per process, because stdout belongs to the process and not to one server.
let claims = 0
let original: Write | undefined

/**
 * Replaces the write function instead of `console`: this also covers `process.stdout.write` and copies of
 * `console.log`.
 */
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
