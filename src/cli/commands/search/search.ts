// toolcrib search: finds tools by a description of what they do.

import type { Command } from 'commander'
import { toolId } from '../../../catalog/tool-id.ts'
import { raise } from '../../../core/errors.ts'
import { isRecord } from '../../../core/is-record.ts'
import { firstSentence } from '../../../core/text.ts'
import type { ToolHit, ToolQuery } from '../../../disclosure/strategies/gateway/find-tools.ts'
import type { Environment } from '../../../setup/environment.ts'
import type { CatalogReader, WithCatalog } from '../../cache/catalog-reader.ts'
import { whyNoServers } from '../../output/no-servers.ts'
import type { Output } from '../../output/output.ts'
import { count, oneLine, wrap } from '../../output/text.ts'
import { type CommonFlags, commandOf, endSentence, failWith, run, type Work } from '../../output/work.ts'
import type { ExplainedHits } from './explain-lines.ts'

export interface SearchFlags extends CommonFlags {
  readonly server?: string
  readonly limit?: string
  readonly explain?: boolean
}

interface Found {
  readonly results: readonly ToolHit[]
  readonly total?: number
  readonly reason?: string
  readonly closest?: readonly string[]
}

const NO_RESULTS = 2
const MAX_LIMIT = 100

export function searchCommand(environment: Environment): Command {
  return commandOf(
    'search',
    'Search for tools across all servers: by what they do, or by name with a glob or /regex/.',
    'search "read file" --limit 5',
  )
    .argument('<query...>', 'what the tool should do')
    .option('--server <name>', 'only tools of this server')
    .option('--limit <n>', 'how many results at most (default: 10)')
    .option('--explain', 'show why each result has its rank')
    .action((words: readonly string[], flags: SearchFlags) =>
      run(environment, flags, async (work) => {
        const { withCatalog } = await import('../../cache/with-catalog.ts')
        return search(work, words.join(' '), flags, withCatalog)
      }),
    )
}

export async function search(
  work: Work,
  query: string,
  { server, limit, explain = false }: SearchFlags,
  withCatalog: WithCatalog,
): Promise<number> {
  if (query.trim() === '') raise('INVALID_ARGUMENTS', { reason: 'The query is empty', command: 'toolcrib search' })
  if (server === '') raise('INVALID_ARGUMENTS', { reason: 'The name of --server is empty', command: 'toolcrib search' })
  const args = {
    query,
    ...(server === undefined ? {} : { server }),
    ...(limit === undefined ? {} : { limit: readLimit(limit) }),
  }
  const need = {
    isNeeded: (name: string) => server === undefined || name === server,
    isPatient: server !== undefined,
    // The cache stores the ranks but not the reasons.
    isForGateway: explain,
  }
  return withCatalog(work, need, (catalog) => show(work, args, catalog, explain))
}

async function show(work: Work, args: ToolQuery, catalog: CatalogReader, explain: boolean): Promise<number> {
  const { output } = work
  const { query } = args
  const { data, error } = await catalog.ask('search_tools', args)
  if (error !== undefined) return failWith(output, error)
  const isEmpty = catalog.startable.length === 0
  const found = isEmpty ? { results: [], reason: whyNoServers(work, catalog) } : readFound(data)
  const unreached = [...catalog.unreached.keys()].sort()
  const view = await catalog.view()
  const texts = new Map(
    found.results.map((hit) => [hit, view.visible.get(toolId(hit.server, hit.tool))?.description ?? hit.summary]),
  )
  const why = explain ? await explainedBy(catalog, found.results, query) : undefined
  output.show({ query, ...found, ...couldNotAsk(unreached), results: why?.results ?? found.results }, () => {
    if (output.isQuiet) return found.results.map(nameOf)
    if (found.results.length === 0) return describeNothing(query, found, work)
    const total = found.total ?? found.results.length
    const shown = total === found.results.length ? `${total} found` : `${found.results.length} of ${total} found`
    const blocks = found.results.flatMap((hit, at) => [
      '',
      ...describe(hit, at + 1, texts.get(hit) ?? '', work),
      ...(why?.lines(hit, at + 1, output) ?? []),
    ])
    return [...wrap(`Search results for "${oneLine(query)}" (${shown}):`, output.width), ...blocks]
  })
  if (unreached.length > 0) tellUnreached(output, unreached)
  return found.results.length === 0 ? NO_RESULTS : 0
}

async function explainedBy(
  { explain }: CatalogReader,
  hits: readonly ToolHit[],
  query: string,
): Promise<ExplainedHits> {
  const { explainHits } = await import('./explain-lines.ts')
  return explainHits(hits, (id) => explain?.(query, id) ?? Promise.resolve(undefined))
}

function tellUnreached(output: Output, servers: readonly string[]): void {
  // If stdout and stderr share the terminal, an empty line separates the note from the results.
  if (output.terminal.isOut && output.terminal.isErr) output.note('')
  const names = servers.map(oneLine).join(', ')
  output.note(`${count(servers.length, 'server')} could not be started: ${names}. \`toolcrib doctor\` shows why.`)
}

function couldNotAsk(servers: readonly string[]): { readonly unreached?: readonly string[] } {
  return servers.length === 0 ? {} : { unreached: servers }
}

function readLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  return raise('INVALID_ARGUMENTS', {
    reason: `--limit takes a number from 1 to ${MAX_LIMIT}, not '${text}'`,
    command: 'toolcrib search',
  })
}

function describe(hit: ToolHit, rank: number, text: string, { output }: Work): readonly string[] {
  const { paint, width } = output
  const indent = ' '.repeat(String(rank).length + 2)
  const tags = hit.tags ?? []
  return [
    `${rank}. ${paint.bold(nameOf(hit))} (${Math.round(hit.relevance * 100)}% match)`,
    ...wrap(firstSentence(text, 240), width, indent),
    ...(tags.length === 0 ? [] : wrap(`Tags: ${tags.join(', ')}`, width, indent)),
    ...(output.isVerbose && hit.signature !== undefined ? wrap(hit.signature, width, indent) : []),
  ]
}

function describeNothing(query: string, { reason, closest = [] }: Found, { output }: Work): readonly string[] {
  const why = reason?.replace('list_mcp_servers', '`toolcrib list`')
  return [
    ...wrap(`Search results for "${oneLine(query)}" (0 found)`, output.width),
    ...(why === undefined ? [] : ['', ...wrap(endSentence(why), output.width)]),
    ...(closest.length === 0 ? [] : wrap(`Closest: ${closest.join(', ')}`, output.width)),
  ]
}

function nameOf({ server, tool }: ToolHit): string {
  return oneLine(`${server}:${tool}`)
}

function readFound(data: unknown): Found {
  // search_tools returns this shape; its tests check it.
  return isRecord(data) ? (data as unknown as Found) : { results: [] }
}
