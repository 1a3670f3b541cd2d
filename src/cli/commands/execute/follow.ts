// Shows the progress and log messages of a running call.

import type { LogLevel } from '../../../core/call.ts'
import type { Output } from '../../output/output.ts'
import { bar } from '../../output/progress.ts'
import { oneLine, plain } from '../../output/text.ts'

interface Followed {
  progress(done: number, total?: number, message?: string): void
  log(level: LogLevel, data: unknown): void
  /** Hides the progress line until the returned function is called. */
  hold(): () => void
  /** Removes the progress line after the call. */
  end(): void
}

/**
 * Updates one progress line on a terminal. Without a terminal, prints a line for each step, only with --stream. Prints
 * log messages only with --stream.
 */
export function follow(output: Output, what: string, isStreamed: boolean): Followed {
  const line = output.progress()
  const isLive = output.terminal.isStderrTty
  /** How many callers of `hold` hide the progress line. */
  let held = 0
  line.show(`Running ${what}…`)
  return {
    hold() {
      held += 1
      line.clear()
      return () => {
        held -= 1
      }
    },
    progress(done, total, message) {
      const text = bar(done, total, oneLine(message ?? ''))
      if (held > 0) return
      if (isLive) line.show(text)
      else if (isStreamed) output.note(text)
    },
    log(level, data) {
      if (!isStreamed) return
      line.clear()
      output.note(`${level}: ${typeof data === 'string' ? plain(data) : plain(JSON.stringify(data) ?? '')}`)
    },
    end: () => line.clear(),
  }
}
