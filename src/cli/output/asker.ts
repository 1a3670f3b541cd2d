// Asks a person at the terminal questions, one at a time.

import { createInterface } from 'node:readline'

export interface Asker {
  /** Undefined after the input has ended. Rejects when the signal aborts. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>
  close(): void
}

export function createAsker(): Asker {
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  // A queue, because an answer may be typed before its question.
  const lines: string[] = []
  let hasEnded = false
  let wake = () => {}
  reader
    .on('line', (line) => {
      lines.push(line)
      wake()
    })
    .on('close', () => {
      hasEnded = true
      wake()
    })
    // readline reads Ctrl-C as a key, so the signal is sent here.
    .on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  return {
    async ask(question, signal) {
      reader.setPrompt(question)
      reader.prompt()
      while (lines.length === 0 && !hasEnded) {
        await new Promise<void>((resolve, reject) => {
          const onAbort = () => reject(signal.reason)
          if (signal.aborted) return onAbort()
          signal.addEventListener('abort', onAbort, { once: true })
          wake = () => {
            signal.removeEventListener('abort', onAbort)
            resolve()
          }
        })
      }
      return lines.shift()
    },
    close: () => reader.close(),
  }
}
