// Questions to a person at the terminal, one after the other.

import { createInterface } from 'node:readline'

export interface Asker {
  /** Undefined where no answer will come any more. Rejects when the signal aborts. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>
  close(): void
}

export function createAsker(): Asker {
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  // Kept: an answer may be typed before it is asked for.
  const lines: string[] = []
  let isOver = false
  let wake = () => {}
  reader
    .on('line', (line) => {
      lines.push(line)
      wake()
    })
    .on('close', () => {
      isOver = true
      wake()
    })
    // While it reads keys, Ctrl-C is a key and no signal.
    .on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  return {
    async ask(question, signal) {
      reader.setPrompt(question)
      reader.prompt()
      while (lines.length === 0 && !isOver) {
        await new Promise<void>((resolve, reject) => {
          const giveUp = () => reject(signal.reason)
          if (signal.aborted) return giveUp()
          signal.addEventListener('abort', giveUp, { once: true })
          wake = () => {
            signal.removeEventListener('abort', giveUp)
            resolve()
          }
        })
      }
      return lines.shift()
    },
    close: () => reader.close(),
  }
}
