// For tests of tools that do not exist for a caller: requests on every path that could reveal the tools of `payroll`.

import { measuredListings } from '../disclosure/strategies/create-strategy.ts'
import type { Crib } from './crib.ts'
import type { Request } from './request.ts'

const NAMES = ['payroll-pay', 'payroll:payroll-pay', 'payroll__payroll-pay', 'payroll', 'payrol-pay', 'note-ad']
const WORDS = ['pay wages', 'wagse', 'salary', 'notes', 'payroll-wages', 'money', 'lists', 'salry', 'zzz']

/** Requests that could reveal the tools, for the meta-tools of every strategy. */
export const PROBES: readonly (readonly [tool: string, args: unknown])[] = [
  ...NAMES.flatMap((name): [string, unknown][] => [
    [name, {}],
    [name, { action: 'payroll-pay' }],
    ['notes', { action: name }],
    ['afd-call', { command: name }],
    ['afd-detail', { command: [name, 'note-list'] }],
    ['afd-batch', { commands: [{ command: name }, { command: 'note-list' }] }],
    ['afd-pipe', { steps: [{ command: 'note-list' }, { command: name }] }],
    ['afd-discover', { category: name }],
    ['list_tools', { server: name }],
    ['list_tools', { server: name, includeDisabled: true }],
    ['list_mcp_servers', { search: name }],
    ['search_tools', { query: 'notes', server: name }],
    ['get_tool_details', { tool: name, schema: true, examples: true }],
    ['get_tool_details', { server: name, tool: 'payroll-pay' }],
    ['execute_tool', { tool: name }],
    ['execute_tool', { server: name, tool: 'payroll-pay' }],
    ['execute_tool', { server: 'notes', tool: name }],
    ['manage_tools', { action: 'enable', tools: name }],
    ['manage_tools', { action: 'disable', tools: name }],
    ['get_category_tools', { category: name }],
    ['get_tool_schema', { toolName: name }],
    ['invoke_tool', { tool: name }],
    ['test_capabilities', { category: name }],
    ['test_tool_schema', { tool: name }],
  ]),
  ...WORDS.flatMap((words): [string, unknown][] => [
    ['search_tools', { query: words, limit: 20 }],
    ['search_tools', { query: words, explain: true }],
    ['afd-discover', { search: words, tag: undefined }],
    ['manage_tools', { action: 'list', search: words }],
  ]),
  ['afd-discover', {}],
  ['afd-discover', { tag: 'money' }],
  ['list_mcp_servers', {}],
  ['manage_tools', { action: 'list' }],
  ['list_tool_categories', {}],
  ['test_capabilities', {}],
]

/** The list of tools and the answers to all probes. */
export async function answersOf(crib: Crib, request: Request): Promise<readonly string[]> {
  const answers = [JSON.stringify(await crib.list(request))]
  for (const [tool, args] of PROBES) {
    const { metadata: _metadata, ...result } = await crib.call(tool, args, request)
    answers.push(`${tool} ${JSON.stringify(args)} ${stable(result)}`)
  }
  return answers
}

/** The result as text, without times and ids, which differ between any two calls. */
function stable(result: unknown): string {
  return JSON.stringify(result, (key, value: unknown) =>
    /^(?:timing|durationMs|totalMs|averageMs|executionTimeMs|traceId|startedAt|metadata)$/.test(key)
      ? undefined
      : value,
  ).replaceAll(/\d+(?:\.\d+)? ?ms/g, 'ms')
}

export const probedStrategies = [
  ...measuredListings,
  { name: 'capabilities with quick actions', strategy: 'capabilities', options: { quickActions: ['payroll-pay'] } },
]
