// One line on stderr that says what is under way, and goes away again.

import type { Terminal } from './terminal.ts'
import { cut } from './text.ts'

export interface Progress {
  /** In place of what stood there. */
  say(text: string): void
  /** Takes the line away; twice without harm. */
  clear(): void
}

const BAR_CELLS = 20
const ERASE = '\r\u001b[2K'

/** Without a sink it says nothing. */
export function createProgress(sink: ((text: string) => void) | undefined, terminal: Terminal): Progress {
  let isShown = false
  return {
    say(text) {
      if (sink === undefined) return
      sink(`${ERASE}${cut(text.replace(/\s+/g, ' '), Math.min(terminal.width, 120) - 1)}`)
      isShown = true
    },
    clear() {
      if (isShown) sink?.(ERASE)
      isShown = false
    },
  }
}

/** `[########------------] 4/10 reading`, or without a total `4 reading`. */
export function bar(done: number, total: number | undefined, message = ''): string {
  if (total === undefined || !(total > 0)) return `${done} ${message}`.trim()
  const filled = Math.round(Math.min(Math.max(done / total, 0), 1) * BAR_CELLS)
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_CELLS - filled)}] ${done}/${total} ${message}`.trim()
}
