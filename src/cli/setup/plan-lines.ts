// What a plan would change and what it has changed, for people.

import { diffLines } from '../output/diff.ts'
import type { Output } from '../output/output.ts'
import { count, oneLine, shortPath } from '../output/text.ts'
import type { ConfigPlan } from './config-plan.ts'
import type { WrittenPlan } from './write-plan.ts'

export interface FileChange {
  readonly file: string
  readonly before: string
  readonly after: string
}

/** `secrets` are values that stand in one of the texts. */
export function changeLines(
  { file, before, after }: FileChange,
  home: string,
  { paint }: Output,
  secrets: readonly string[],
): readonly string[] {
  if (before === after) return []
  // The longest first: one may contain another.
  const ordered = secrets.toSorted((a, b) => b.length - a.length)
  const hide = (line: string) =>
    ordered.reduce(
      (rest, secret) => rest.replaceAll(secret, '***').replaceAll(JSON.stringify(secret).slice(1, -1), '***'),
      line,
    )
  return [
    `${paint.bold(oneLine(shortPath(file, home)))}${before === '' ? ' (new)' : ''}`,
    ...diffLines(before, after, paint, hide),
    '',
  ]
}

export function planNotes({ clashing, present, secrets }: ConfigPlan): readonly string[] {
  const names = (all: readonly string[]) => all.map(oneLine).join(', ')
  return [
    ...(present.length === 0 ? [] : [`Already in the config: ${names(present.map(({ name }) => name))}`]),
    ...(clashing.length === 0
      ? []
      : [`Left out, because the config has another server of this name: ${names(clashing)}`]),
    ...(secrets.length === 0
      ? []
      : [
          `${count(secrets.length, 'secret')} will become ${count(secrets.length, 'reference')}: ${names(secrets.map(({ name }) => `\${${name}}`))}`,
        ]),
  ]
}

export function writtenLines(
  { file, backup, secretsFile, toExport }: WrittenPlan,
  home: string,
  { paint }: Output,
): readonly string[] {
  const path = (one: string) => oneLine(shortPath(one, home))
  return [
    `${paint.green('✓')} Wrote ${path(file)}`,
    ...(backup === undefined ? [] : [`  What was there before: ${path(backup)}`]),
    ...(secretsFile === undefined ? [] : [`  The values of secrets: ${path(secretsFile)} (readable by you alone)`]),
    ...(toExport.length === 0 ? [] : [`  Export these before you start the gateway: ${toExport.join(', ')}`]),
  ]
}
