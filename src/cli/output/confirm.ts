// Asks for confirmation before a change. Without a terminal, only --yes confirms.

import { errors, raise } from '../../core/errors.ts'
import { createAsker } from './asker.ts'
import { canAsk } from './terminal.ts'
import { shortPath, wrap } from './text.ts'
import type { Work } from './work.ts'

interface ConfirmFlags {
  readonly yes?: boolean | undefined
}

/** The exit code after the user has declined. */
export const DECLINED = errors.NOT_CONFIRMED.exit

/**
 * Asks whether these files may be written, or asks `question`. Raises NOT_CONFIRMED if no person can be asked or, with
 * --json, if the person declines.
 */
export async function confirm(
  work: Work,
  flags: ConfirmFlags,
  files: readonly string[],
  question?: string,
): Promise<boolean> {
  const { output, environment } = work
  const paths = files.map((file) => shortPath(file, environment.home))
  const what = [paths.slice(0, -1).join(', '), ...paths.slice(-1)].filter(Boolean).join(' and ')
  if (await isConfirmed(work, flags, question ?? `Write ${what}?`)) return true
  if (!canAsk(output.terminal) || output.isJson) raise('NOT_CONFIRMED', {})
  output.note('Nothing was changed: you did not confirm.')
  return false
}

const ANSWERS = ' [y/N] '

/** False if no person can be asked. */
export async function isConfirmed(work: Work, flags: ConfirmFlags, question: string): Promise<boolean> {
  if (flags.yes === true) return true
  if (!canAsk(work.output.terminal)) return false
  // readline would break a long question inside a word.
  const lines = wrap(question, work.output.width - ANSWERS.length)
  process.stderr.write(
    lines
      .slice(0, -1)
      .map((line) => `${line}\n`)
      .join(''),
  )
  const asker = createAsker()
  try {
    return /^\s*y(?:es)?\s*$/i.test((await asker.ask(`${lines.at(-1)}${ANSWERS}`, work.signal)) ?? '')
  } finally {
    asker.close()
  }
}
