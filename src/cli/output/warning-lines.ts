// Warnings and notes that are printed below an answer.

import type { ConfigProblem } from '../../config/problem.ts'
import type { Output } from './output.ts'
import { oneLine, wrap } from './text.ts'

/** About a config entry that is served under another name, or not served. */
export type ServingNote = Pick<ConfigProblem, 'file' | 'path' | 'message'>

/** Starts with an empty line. Returns no lines if there are no warnings. */
export function warningLines(warnings: readonly string[], { width, paint }: Pick<Output, 'width' | 'paint'>): string[] {
  if (warnings.length === 0) return []
  return [
    '',
    ...warnings.flatMap((warning) => wrap(`Warning: ${oneLine(warning)}`, width).map((line) => paint.yellow(line))),
  ]
}

/** Starts with an empty line. Returns no lines if there are no errors. */
export function configErrorLines(
  errors: readonly ServingNote[],
  home: string,
  { width, paint }: Pick<Output, 'width' | 'paint'>,
): string[] {
  if (errors.length === 0) return []
  const effect =
    'A gateway that starts now leaves these settings out or gives them their safe value. A running gateway keeps the config that it has.'
  return [
    '',
    ...errors.flatMap((one) => wrap(`Error: ${servingNoteLine(one, home)}`, width).map((line) => paint.red(line))),
    ...wrap(effect, width),
  ]
}

/** Paths below the home folder start with `~`. */
export function servingNoteLine({ file, path, message }: ServingNote, home: string): string {
  const text = oneLine(`${[file, path].filter(Boolean).join(' ')}: ${message}`)
  return home === '' ? text : text.replaceAll(`${home}/`, '~/').replaceAll(`${home}\\`, '~\\')
}
