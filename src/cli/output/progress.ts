// A temporary line on stderr that shows the current step.

import type { Terminal } from './terminal.ts'
import { cut } from './text.ts'

export interface ProgressLine {
  /** Replaces the current text. */
  show(text: string): void
  /** Removes the line. Can be called twice. */
  clear(): void
}

const BAR_CELLS = 20
const ERASE = '\r\u001b[2K'

/** Without a sink it prints nothing. */
export function createProgress(sink: ((text: string) => void) | undefined, terminal: Terminal): ProgressLine {
  let isShown = false
  return {
    show(text) {
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

/** For example `[########------------] 4/10 reading`, or `4 reading` without a total. */
export function bar(done: number, total: number | undefined, message = ''): string {
  if (total === undefined || !(total > 0)) return `${done} ${message}`.trim()
  const filled = Math.round(Math.min(Math.max(done / total, 0), 1) * BAR_CELLS)
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_CELLS - filled)}] ${done}/${total} ${message}`.trim()
}
