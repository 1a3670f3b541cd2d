// Config entries that are served under another name, or not served.

import type { LoadedConfig } from '../../config/load/load.ts'
import type { ConfigProblem } from '../../config/problem.ts'
import { oneLine } from '../output/text.ts'

export type ServingNote = Pick<ConfigProblem, 'file' | 'path' | 'message'>

export function servingNotes({ problems }: Pick<LoadedConfig, 'problems'>): readonly ServingNote[] {
  return problems
    .filter(({ isAboutServing }) => isAboutServing === true)
    .map(({ file, path, message }) => ({ file, path, message }))
}

/** Paths below the home folder start with `~`. */
export function servingNoteLine({ file, path, message }: ServingNote, home: string): string {
  const text = oneLine(`${[file, path].filter(Boolean).join(' ')}: ${message}`)
  return home === '' ? text : text.replaceAll(`${home}/`, '~/').replaceAll(`${home}\\`, '~\\')
}
