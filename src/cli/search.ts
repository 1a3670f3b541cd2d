// toolcrib search: the tools that do what a few words say.

import type { Command } from 'commander'
import { raise } from '../core/errors.ts'
import { isRecord } from '../core/schema.ts'
import { firstSentence, quoteList } from '../core/text.ts'
import type { ToolHit } from '../disclosure/gateway/search-tools.ts'
import type { Environment } from './environment.ts'
import { count, oneLine, wrap } from './output/text.ts'
import { explainHits } from './search/explain-lines.ts'
import { type CommonFlags, commandOf, endSentence, failWith, run, type Work } from './work.ts'

interface SearchFlags extends CommonFlags {
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
    'Search for tools across all servers, by what they do or by name with a glob or /regex/.',
    'search "read file" --limit 5',
  )
    .argument('<query...>', 'what the tool should do')
    .option('--server <name>', 'only tools of this server')
    .option('--limit <n>', 'how many results at most (default: 10)')
    .option('--explain', 'say why each result ranks where it does')
    .action((words: readonly string[], flags: SearchFlags) =>
      run(environment, flags, (work) => search(work, words.join(' '), flags)),
    )
}

async function search(work: Work, query: string, { server, limit, explain }: SearchFlags): Promise<number> {
  const { output } = work
  const args = {
    query,
    ...(server === undefined ? {} : { server }),
    ...(limit === undefined ? {} : { limit: readLimit(limit) }),
  }
  const { openKnowing } = await import('./knowing-session.ts')
  await using session = await openKnowing(work, {
    isNeeded: (name) => server === undefined || name === server,
    isPatient: server !== undefined,
  })
  const { data, error } = await session.ask('search_tools', args)
  if (error !== undefined) return failWith(output, error)
  const found = withUnreached(readFound(data), [...session.unreached.keys()])
  const view = await session.view()
  const texts = new Map(
    found.results.map((hit) => [hit, view.visible.get(`${hit.server}:${hit.tool}`)?.description ?? hit.summary]),
  )
  const why = explain === true ? await explainHits(found.results, query, view) : undefined
  output.show({ query, ...found, results: why?.results ?? found.results }, () => {
    if (output.isQuiet) return found.results.map(nameOf)
    if (found.results.length === 0) return describeNothing(query, found, work)
    const total = found.total ?? found.results.length
    const shown = total === found.results.length ? `${total} found` : `${found.results.length} of ${total} found`
    const blocks = found.results.flatMap((hit, at) => [
      '',
      ...describe(hit, at + 1, texts.get(hit) ?? '', work),
      ...(why?.lines(hit, at + 1, output) ?? []),
    ])
    return [`Search results for "${oneLine(query)}" (${shown}):`, ...blocks]
  })
  const missing = session.unreached.size
  if (missing > 0) {
    output.note(
      `${count(missing, 'server')} could not be asked: ${[...session.unreached.keys()].map(oneLine).join(', ')}. \`toolcrib doctor\` says why.`,
    )
  }
  return found.results.length === 0 ? NO_RESULTS : 0
}

/** Where nothing was found, the servers that could not be asked are the likeliest reason. */
function withUnreached(found: Found, servers: readonly string[]): Found {
  if (found.results.length > 0 || servers.length === 0) return found
  return { ...found, reason: `Could not be asked: ${quoteList(servers, 5)}.` }
}

function readLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  return raise('INVALID_ARGUMENTS', {
    reason: `--limit takes a number from 1 to ${MAX_LIMIT}, not '${text}'`,
    command: 'toolcrib search',
  })
}

function describe(hit: ToolHit, place: number, text: string, { output }: Work): readonly string[] {
  const { paint, width } = output
  const indent = ' '.repeat(String(place).length + 2)
  const tags = hit.tags ?? []
  return [
    `${place}. ${paint.bold(nameOf(hit))} (${Math.round(hit.relevance * 100)}% match)`,
    ...wrap(firstSentence(text, 240), width, indent),
    ...(tags.length === 0 ? [] : wrap(`Tags: ${tags.join(', ')}`, width, indent)),
    ...(output.isVerbose && hit.signature !== undefined ? wrap(hit.signature, width, indent) : []),
  ]
}

function describeNothing(query: string, { reason, closest = [] }: Found, { output }: Work): readonly string[] {
  const why = reason?.replace('list_mcp_servers', '`toolcrib list`')
  return [
    `Search results for "${oneLine(query)}" (0 found)`,
    ...(why === undefined ? [] : ['', ...wrap(endSentence(why), output.width)]),
    ...(closest.length === 0 ? [] : wrap(`Closest: ${closest.join(', ')}`, output.width)),
  ]
}

function nameOf({ server, tool }: ToolHit): string {
  return oneLine(`${server}:${tool}`)
}

function readFound(data: unknown): Found {
  // What search_tools answers, which its own tests pin.
  return isRecord(data) ? (data as unknown as Found) : { results: [] }
}
