// toolcrib search: finds tools by a description of what they do, or by a pattern for their names.

import type { Command } from 'commander'
import { defined } from '../../../core/defined.ts'
import { raise } from '../../../core/errors.ts'
import { firstSentence } from '../../../core/text.ts'
import type { NoResults } from '../../../disclosure/strategies/gateway/explain-no-results.ts'
import type { Findings, FoundTool, ToolQuery } from '../../../disclosure/strategies/gateway/find-tools.ts'
import type { SearchableCatalog } from '../../../disclosure/view.ts'
import type { Environment } from '../../../setup/environment.ts'
import type { ExplainedCatalog, WithCatalog } from '../../cache/cached-catalog.ts'
import type { Unreached } from '../../gateway/unreachable.ts'
import { LIST_SERVERS } from '../../output/error-for-people.ts'
import { unreachedNotes, whyNoServers } from '../../output/notes.ts'
import type { Output } from '../../output/output.ts'
import { oneLine, wrap } from '../../output/text.ts'
import { type CommonFlags, commandOf, endSentence, failWith, run, type Work } from '../../output/work.ts'

interface SearchFlags extends CommonFlags {
  readonly server?: string
  readonly limit?: string
  readonly explain?: boolean
}

/** The exit code if no tool was found. */
const NO_RESULTS = 2
const MAX_LIMIT = 100
const HOW_TO_SEARCH_BY_NAME = 'Correct the pattern, or search by words, for example `toolcrib search "delete file"`.'

export function createCommand(environment: Environment): Command {
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
      run(environment, flags, async (work) =>
        search(work, words.join(' '), flags, (await import('../../cache/with-catalog.ts')).withCatalog),
      ),
    )
}

export async function search(
  work: Work,
  query: string,
  { server, limit, explain = false }: SearchFlags,
  withCatalog: WithCatalog,
): Promise<number> {
  if (query.trim() === '') refuse('The query is empty')
  if (server === '') refuse('The value of --server is empty')
  const args = { query, server, limit: limit === undefined ? undefined : readLimit(limit) }
  const need = {
    isNeeded: (name: string) => server === undefined || name === server,
    isPatient: server !== undefined,
  }
  return withCatalog(work, need, (catalog) => {
    // A server that was not searched is not reported.
    const unreached = new Map([...catalog.unreached].filter(([name]) => need.isNeeded(name)))
    return show(work, args, { ...catalog, unreached }, explain)
  })
}

async function show(work: Work, args: ToolQuery, catalog: ExplainedCatalog, isExplained: boolean): Promise<number> {
  const { output } = work
  const { query } = args
  const { findTools, searchDocument, signatureOf } = await import(
    '../../../disclosure/strategies/gateway/find-tools.ts'
  )
  const view = withFailed(await catalog.view(), catalog.unreached)
  const found = await findTools(args, view)
  if (found.kind === 'unknown-server') {
    const { refuseServer } = await import('../../../disclosure/strategies/gateway/pages.ts')
    return failWith(output, await catalog.explain(refuseServer(found, LIST_SERVERS).error, found.server))
  }
  if (found.kind === 'nothing' && found.why.kind === 'bad-pattern') refuse(found.why.problem, HOW_TO_SEARCH_BY_NAME)
  const tools = found.kind === 'found' ? found.tools : []
  const unreached = [...catalog.unreached.keys()].sort()
  const logins = unreached.filter((name) => catalog.unreached.get(name)?.loginCommand !== undefined)
  const explainer = isExplained ? await import('./explain-lines.ts') : undefined
  const explanation = await explainer?.explainTools(tools, query, view)
  const hasNoServers = view.sources.length === 0
  const answer = () => {
    const document = searchDocument(found, LIST_SERVERS)
    const nothingFits = 'reason' in document ? document.reason : undefined
    const reason = hasNoServers ? whyNoServers(catalog) : withRulesFile(nothingFits, found, catalog)
    return { ...document, ...(reason === undefined ? {} : { reason: output.keepConfig(reason) }) }
  }
  const document = () => {
    const { results, ...rest } = answer()
    const shown = explanation?.document(results) ?? results
    return defined({
      query,
      results: shown,
      ...rest,
      unreached: unreached.length === 0 ? undefined : unreached,
      needLogin: logins.length === 0 ? undefined : logins,
    })
  }
  const unreachedReason = found.kind === 'nothing' ? await reasonOfUnreached(found, catalog) : undefined
  // Creates the document only for --json, because its signatures take as long as the search.
  output.show(output.isJson ? document() : undefined, () => {
    if (output.isQuiet) return tools.map(nameOf)
    if (found.kind === 'nothing') {
      const reason = unreachedReason === undefined ? {} : { reason: output.keepConfig(unreachedReason) }
      return noResultLines(query, { ...answer(), ...reason }, work)
    }
    const total = found.total ?? tools.length
    const shown = total === tools.length ? `${total} found` : `${tools.length} of ${total} found`
    const blocks = tools.flatMap((one, at) => [
      '',
      ...hitLines(one, at + 1, output.isVerbose ? signatureOf(one.tool, at) : undefined, work),
      ...(explanation?.lines(one, at + 1, output) ?? []),
    ])
    return [...wrap(`Search results for "${oneLine(query)}" (${shown}):`, output.width), ...blocks]
  })
  // A person has read about these servers in the reason.
  if (unreached.length > 0 && (output.isJson || unreachedReason === undefined)) {
    noteUnreached(output, catalog.unreached)
  }
  return tools.length === 0 ? NO_RESULTS : 0
}

/**
 * Returns why nothing was found, with the commands that help. Undefined if servers that could not be started are not
 * one of the reasons.
 */
async function reasonOfUnreached(found: NoResults, catalog: ExplainedCatalog): Promise<string | undefined> {
  const { why } = found
  const { unreached } = catalog
  if (why.kind !== 'no-match' || why.searched.every(({ id }) => !unreached.has(id))) return undefined
  const { describeNothing } = await import('../../../disclosure/strategies/gateway/explain-no-results.ts')
  const searched = why.searched.filter(({ id }) => !unreached.has(id))
  const hasOthers = why.disabled.length > 0 || searched.some(({ state }) => state === 'starting' || state === 'failed')
  const others = hasOthers ? [withRulesFile(describeNothing({ ...why, searched }, LIST_SERVERS), found, catalog)] : []
  return [...others, ...unreachedNotes(unreached)].join(' ')
}

/** Adds the files with the rules that disable matching tools. */
function withRulesFile<Reason extends string | undefined>(
  reason: Reason,
  found: Findings | NoResults,
  { rulesFiles = {} }: ExplainedCatalog,
): Reason | string {
  const disabled = found.kind === 'nothing' && found.why.kind === 'no-match' ? found.why.disabled : []
  const owners = new Set(disabled.map(({ owner }) => (owner === 'project' ? 'project' : 'user')))
  const files = [...owners].flatMap((owner) => rulesFiles[owner] ?? [])
  if (files.length === 0) return reason
  return `${reason} To enable ${disabled.length === 1 ? 'it' : 'them'}, change toolRules in ${files.join(' and ')}.`
}

/** Gives the state `failed` to the servers that this command could not start. In the view they have another state. */
function withFailed(view: SearchableCatalog, unreached: Unreached): SearchableCatalog {
  if (unreached.size === 0) return view
  const { known, visible, sources, whyNoSources } = view
  return {
    known,
    visible,
    sources: sources.map((source) => (unreached.has(source.id) ? { ...source, state: 'failed' } : source)),
    whyNoSources,
    search: (...args) => view.search(...args),
    explain: (...args) => view.explain(...args),
    searchDisabled: (...args) => view.searchDisabled(...args),
    disabledWhere: (...args) => view.disabledWhere(...args),
  }
}

function noteUnreached(output: Output, unreached: Unreached): void {
  // If stdout and stderr share the terminal, an empty line separates the note from the results.
  if (output.terminal.isStdoutTty && output.terminal.isStderrTty) output.note('')
  for (const line of unreachedNotes(unreached)) output.note(line)
}

function readLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  return refuse(`--limit takes a number from 1 to ${MAX_LIMIT}, not '${text}'`)
}

function refuse(reason: string, todo?: string): never {
  return raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib search', todo })
}

function hitLines(
  { tool, relevance }: FoundTool,
  rank: number,
  signature: string | undefined,
  { output }: Work,
): readonly string[] {
  const { paint, width } = output
  const { description, tags = [] } = tool
  const indent = ' '.repeat(String(rank).length + 2)
  return [
    `${rank}. ${paint.bold(nameOf({ tool }))} (${Math.round(relevance * 100)}% match)`,
    ...wrap(firstSentence(description, 240), width, indent),
    ...(tags.length === 0 ? [] : output.wrap(`Tags: ${tags.join(', ')}`, indent)),
    ...(signature === undefined ? [] : output.wrap(signature, indent)),
  ]
}

function noResultLines(
  query: string,
  { reason, closest = [] }: { readonly reason?: string; readonly closest?: readonly string[] },
  { output }: Work,
): readonly string[] {
  return [
    ...wrap(`Search results for "${oneLine(query)}" (0 found)`, output.width),
    ...(reason === undefined ? [] : ['', ...wrap(endSentence(reason), output.width)]),
    ...(closest.length === 0 ? [] : output.wrap(`Closest: ${closest.join(', ')}`)),
  ]
}

function nameOf({ tool }: Pick<FoundTool, 'tool'>): string {
  return oneLine(`${tool.sourceId}:${tool.name}`)
}
