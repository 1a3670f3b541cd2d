// The stderr of a server over all its starts. A write only copies bytes; lines are passed on a few times per second.

import { createStderrRing, type StderrRing } from './stderr-ring.ts'

interface ServerOutput {
  /** A buffer for the next process. `redact` removes its secrets. */
  open(redact?: (text: string) => string): StderrRing
  /** The end of the output of the last process. */
  tail(): string
  /** Passes on the remaining lines at once. */
  flush(): void
}

/** How often lines are passed on. */
const EVERY_MS = 200

/** `onLines` gets redacted lines without control characters. Without it, no timer is started. */
export function createServerOutput(
  onLines: ((lines: readonly string[]) => void) | undefined,
  everyMs = EVERY_MS,
): ServerOutput {
  let ring: StderrRing | undefined
  let timer: NodeJS.Timeout | undefined
  const passLines = (isEnd: boolean) => {
    clearTimeout(timer)
    timer = undefined
    const lines = onLines === undefined ? [] : (ring?.take(isEnd) ?? [])
    if (lines.length > 0) onLines?.(lines)
  }
  return {
    open(redact) {
      passLines(true)
      const own = createStderrRing(redact === undefined ? {} : { redact })
      ring = own
      if (onLines === undefined) return own
      return {
        ...own,
        write(chunk) {
          own.write(chunk)
          // The timer alone must not keep the process alive.
          timer ??= setTimeout(passLines, everyMs, false).unref()
        },
      }
    },
    tail: () => ring?.tail() ?? '',
    flush: () => passLines(true),
  }
}
