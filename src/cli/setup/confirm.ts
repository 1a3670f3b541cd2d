// Asks before anything is changed; where nobody can answer, only --yes will do.

import { raise } from '../../core/errors.ts'
import { createAsker } from '../output/asker.ts'
import type { Work } from '../work.ts'

export interface ConfirmFlags {
  readonly yes?: boolean | undefined
}

/** Raises where the answer is no. */
export async function confirm(work: Work, flags: ConfirmFlags, question: string, what: string): Promise<void> {
  if (!(await isConfirmed(work, flags, question))) raise('NOT_CONFIRMED', { what })
}

export async function isConfirmed({ output, signal }: Work, flags: ConfirmFlags, question: string): Promise<boolean> {
  if (flags.yes === true) return true
  if (!output.terminal.isIn || !output.terminal.isErr) return false
  const asker = createAsker()
  try {
    return /^\s*y(?:es)?\s*$/i.test((await asker.ask(`${question} [y/N] `, signal)) ?? '')
  } finally {
    asker.close()
  }
}
