// Formats what `toolcrib doctor` found about one server.

import { kindOf } from '../../../config/connection-kinds.ts'
import type { Connection } from '../../../config/server-config.ts'
import type { CallOutcome } from '../../../sources/upstream/call-outcome.ts'
import type { Fault } from '../../checks/faults-before-start.ts'
import type { Output } from '../../output/output.ts'
import { count, milliseconds, number, oneLine } from '../../output/text.ts'

export interface ServerFinding {
  readonly server: string
  readonly ok: boolean
  /** `plugin`: a source that the config defines in code. */
  readonly transport: Connection['type'] | 'plugin'
  /** Whether all people share the server. Only for a gateway that several people use. */
  readonly sharing?: 'shared' | 'perPrincipal'
  /** Its command line, its address or, for a source in code, the config file. Secrets are masked. */
  readonly target: string
  readonly startMs?: number
  readonly listMs?: number
  readonly era?: 'legacy' | 'modern'
  /** The protocol version that both sides agreed on. */
  readonly protocol?: string
  /** All listed tools, and their tokens in the full list. */
  readonly tools?: number
  readonly tokens?: number
  /** The tools that no rule disables, and their tokens. */
  readonly enabledTools?: number
  readonly enabledTokens?: number
  /** The names of the variables that its process got, and those that were withheld from it. Never the values. */
  readonly variables?: readonly string[]
  readonly withheldVariables?: readonly string[]
  readonly faults: readonly Fault[]
  readonly warnings?: readonly string[]
  /** The line of its stderr that explains the failure best. */
  readonly errorLine?: string
  /** The last lines of its stderr. */
  readonly stderr?: readonly string[]
}

const SHARING = {
  shared: 'one process or connection for all people',
  perPrincipal: 'one process or connection for each person',
}
const SLOW_MS = 10_000
const ERAS = { legacy: '2025-11-25 or older', modern: '2026-07-28' }

/** `isOnly`: no other server is examined, so the names of its variables are shown. */
export function findingLines(
  finding: ServerFinding,
  output: Pick<Output, 'paint' | 'isVerbose' | 'wrap'>,
  isOnly = false,
): readonly string[] {
  const { paint, isVerbose } = output
  const { server, ok, transport, sharing, startMs, listMs, era, protocol, variables } = finding
  const { faults, warnings = [], stderr = [] } = finding
  const mark = ok ? paint.green('✓') : paint.red('✗')
  const facts = [
    ...(startMs === undefined ? [] : [`started in ${milliseconds(startMs)}`]),
    ...(listMs === undefined ? [] : [`listed in ${milliseconds(listMs)}`]),
    ...toolFacts(finding),
    ...(protocol === undefined && era === undefined ? [] : [`protocol ${oneLine(protocol ?? ERAS[era ?? 'legacy'])}`]),
    ...(ok && variables !== undefined ? [count(variables.length, 'environment variable')] : []),
  ]
  const printed = ok && !isVerbose ? [] : stderr
  return [
    `${mark} ${paint.bold(oneLine(server))} (${transport})`,
    ...(facts.length === 0 ? [] : output.wrap(facts.join(', '), '  ')),
    ...(sharing === undefined ? [] : [`  ${SHARING[sharing]}`]),
    ...(ok ? [] : failureLines(finding, output)),
    ...faults.flatMap(({ what, todo }) => [
      ...output.wrap(`Problem: ${what}`, '  '),
      ...output.wrap(`Next: ${todo}`, '  '),
    ]),
    ...warnings.flatMap((warning) => output.wrap(`Note: ${warning}`, '  ')),
    ...(isVerbose || isOnly ? variableLines(finding, output) : []),
    ...(printed.length === 0 ? [] : ['  Its output:', ...printed.map((line) => paint.dim(`    ${oneLine(line)}`))]),
  ]
}

/** A note about a server that starts slowly. The gateway starts a server when a call needs it, so this call waits. */
export function slowStartWarnings(startMs: number): readonly string[] {
  if (startMs <= SLOW_MS) return []
  const seconds = Math.round(startMs / 1_000)
  return [
    `it takes ${seconds} s to start, and the first call waits that long; \`idleMs: 0\` in its config keeps it running afterwards`,
  ]
}

/** The problem of a server that started, and did not answer `tools/list` with a list. */
export function notListedText(listed: CallOutcome): string {
  const text = 'it started, but did not list its tools'
  switch (listed.kind) {
    case 'refused':
    case 'lost':
      return `${text}: ${oneLine(listed.reason)}`
    case 'late':
      return `${text} in ${milliseconds(listed.afterMs)}`
    case 'capability-missing':
      return `${text}: it needs a client with the capability '${oneLine(listed.capability)}'`
    default:
      return text
  }
}

/** The command line or address of a server that does not work, and what it printed about its failure. */
function failureLines(
  { transport, target, errorLine }: ServerFinding,
  output: Pick<Output, 'wrap'>,
): readonly string[] {
  const label = transport === 'plugin' ? 'Defined in' : kindOf({ type: transport }).targetLabel
  return [
    ...output.wrap(`${label}: ${target}`, '  '),
    ...(errorLine === undefined ? [] : output.wrap(`It printed: ${oneLine(errorLine)}`, '  ')),
  ]
}

/** The names are shown only for one server or with --verbose: there are many, and most servers get the same. */
function variableLines(
  { variables, withheldVariables = [] }: ServerFinding,
  output: Pick<Output, 'wrap'>,
): readonly string[] {
  const names = (all: readonly string[]) => all.map(oneLine).join(', ')
  const withheld = 'Not inherited, because they are secret or only other servers refer to them'
  return [
    ...(variables === undefined ? [] : output.wrap(`Variables: ${names(variables)}`, '  ')),
    ...(withheldVariables.length === 0 ? [] : output.wrap(`${withheld}: ${names(withheldVariables)}`, '  ')),
  ]
}

function toolFacts({
  tools,
  tokens = 0,
  enabledTools = tools,
  enabledTokens = tokens,
}: ServerFinding): readonly string[] {
  if (tools === undefined) return []
  if (enabledTools === tools) return [count(tools, 'tool'), count(tokens, 'token')]
  return [
    `${count(tools, 'tool')} (${number(enabledTools ?? 0)} enabled)`,
    `${count(tokens, 'token')} (${number(enabledTokens)} for enabled tools)`,
  ]
}
