// What the doctor found, for people.

import type { Output } from '../output/output.ts'
import { count, milliseconds, oneLine, wrap } from '../output/text.ts'
import type { Fault } from './foreseen.ts'

export interface Finding {
  readonly server: string
  readonly ok: boolean
  readonly transport: string
  readonly startMs?: number
  readonly listMs?: number
  readonly era?: 'legacy' | 'modern'
  readonly tools?: number
  readonly tokens?: number
  readonly faults: readonly Fault[]
  readonly warnings?: readonly string[]
  /** The end of what it printed. */
  readonly stderr?: readonly string[]
}

const ERAS = { legacy: '2025-11-25 or older', modern: '2026-07-28' }

export function findingLines(finding: Finding, { paint, width, isVerbose }: Output): readonly string[] {
  const { server, ok, transport, startMs, listMs, era, tools, tokens = 0, faults, warnings = [], stderr = [] } = finding
  const mark = ok ? paint.green('✓') : paint.red('✗')
  const facts = [
    ...(startMs === undefined ? [] : [`started in ${milliseconds(startMs)}`]),
    ...(listMs === undefined ? [] : [`listed in ${milliseconds(listMs)}`]),
    ...(tools === undefined ? [] : [`${count(tools, 'tool')}, ${count(tokens, 'token')}`]),
    ...(era === undefined ? [] : [`protocol ${ERAS[era]}`]),
  ]
  const printed = ok && !isVerbose ? [] : stderr
  return [
    `${mark} ${paint.bold(oneLine(server))} (${transport})`,
    ...(facts.length === 0 ? [] : wrap(facts.join(', '), width, '  ')),
    ...faults.flatMap(({ what, todo }) => [
      ...wrap(`Problem: ${what}`, width, '  '),
      ...wrap(`Next: ${todo}`, width, '  '),
    ]),
    ...warnings.flatMap((warning) => wrap(`Note: ${warning}`, width, '  ')),
    ...(printed.length === 0 ? [] : ['  It printed:', ...printed.map((line) => paint.dim(`    ${oneLine(line)}`))]),
  ]
}
