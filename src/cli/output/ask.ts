// Asks questions at the terminal, and asks for confirmation of a change. Without a terminal, only --yes confirms.

import { createInterface } from 'node:readline'
import { errors, raise } from '../../core/errors.ts'
import { canAsk } from './terminal.ts'
import { shortPath, wrap } from './text.ts'
import type { Work } from './work.ts'

interface ConfirmFlags {
  readonly yes?: boolean | undefined
}

/** The exit code after the user has declined. */
export const DECLINED = errors.NOT_CONFIRMED.exit

interface Question {
  /** Replaces the question whether the files may be written. */
  readonly question?: string
  /** True if the command has already made another change, for example an approval. */
  readonly hasChanged?: boolean
}

/**
 * Asks whether these files may be written. Raises NOT_CONFIRMED if no person can be asked or, with --json, if the
 * person declines.
 */
export async function confirm(
  work: Work,
  flags: ConfirmFlags,
  files: readonly string[],
  { question, hasChanged = false }: Question = {},
): Promise<boolean> {
  const { output, environment } = work
  const paths = files.map((file) => shortPath(file, environment.home))
  const what = [paths.slice(0, -1).join(', '), ...paths.slice(-1)].filter(Boolean).join(' and ')
  if (await isConfirmed(work, flags, question ?? `Write ${what}?`)) return true
  if (!canAsk(output.terminal) || output.isJson) raise('NOT_CONFIRMED', { hasChanged })
  output.note(`${errors.NOT_CONFIRMED.message({ hasChanged })}.`)
  return false
}

const ANSWERS = ' [y/N] '

/** True with --yes, or after the answer yes. False if no person can be asked. */
export async function isConfirmed(work: Work, flags: ConfirmFlags, question: string): Promise<boolean> {
  if (flags.yes === true) return true
  if (!canAsk(work.output.terminal)) return false
  // readline would break a long question inside a word.
  const lines = wrap(question, work.output.width - ANSWERS.length)
  for (const line of lines.slice(0, -1)) process.stderr.write(`${line}\n`)
  const asker = createAsker()
  try {
    return isYes(await asker.ask(`${lines.at(-1)}${ANSWERS}`, work.signal))
  } finally {
    asker.close()
  }
}

export function isYes(answer = ''): boolean {
  return /^\s*y(?:es)?\s*$/i.test(answer)
}

export interface Asker {
  /** Undefined after the input has ended. Rejects when the signal aborts. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>
  close(): void
}

/** Asks one question at a time on stderr, and reads the answers from stdin. */
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
    // readline reads Ctrl-C as a key, so the listeners of this process are called here. A real signal would end the
    // process at once on Windows.
    .on('SIGINT', () => process.emit('SIGINT', 'SIGINT'))
  return {
    async ask(question, signal) {
      signal.throwIfAborted()
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
