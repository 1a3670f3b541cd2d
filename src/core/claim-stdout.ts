// Reserves stdout for messages and answers, while other code prints.

type Write = typeof process.stdout.write

// Counted per process, because stdout belongs to the process and not to one server.
let claims = 0
let original: Write | undefined

/** Runs other code. Its output goes to stderr: stdout is for the protocol or the answer of a command. */
export async function withoutStdout<T>(run: () => Promise<T>): Promise<T> {
  const claim = claimStdout()
  try {
    return await run()
  } finally {
    claim.release()
  }
}

/**
 * Until all claims are released, output of other code for stdout goes to stderr. Replaces the
 * write function instead of `console`: this also covers `process.stdout.write` and copies of `console.log`.
 */
export function claimStdout() {
  const { stdout, stderr } = process
  const own = original ?? stdout.write
  if (original === undefined) {
    original = own
    stdout.write = stderr.write.bind(stderr)
  }
  claims++
  let isHeld = true
  return {
    /** Writes to the real stdout. */
    write: own.bind(stdout),
    /** Restores stdout when the last claim is released. A second call does nothing. */
    release(): void {
      if (!isHeld) return
      isHeld = false
      claims--
      if (claims > 0) return
      stdout.write = own
      original = undefined
    },
  }
}
