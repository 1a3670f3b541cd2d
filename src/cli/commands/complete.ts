// toolcrib complete: prints the words that can come next, for the scripts that `completion` prints.

import type { Command, Option } from 'commander'
import { groupBy } from '../../core/collections.ts'
import type { Environment } from '../../setup/environment.ts'
import { type BuildOptions, type CommonFlags, commandOf, run, type Work } from '../output/work.ts'
import { withCommandFirst } from '../words/options.ts'

/** The candidates for an argument, by its name. An argument with another name has none; bash then completes file names. */
const ARGUMENTS: Readonly<Record<string, (work: Work, line: UnfinishedLine) => Promise<readonly string[]>>> = {
  async server(work, { command, unfinished }) {
    const { servers, tools, switchedOff } = await readCached(work)
    if (command.name() === 'enable') return switchedOff
    if (command.name() === 'remove') return [...servers, ...switchedOff]
    const takesTool = command.registeredArguments.slice(1).some((argument) => ARGUMENTS[argument.name()] === toolsOf)
    const named = takesTool ? servers.find((server) => unfinished.startsWith(`${server}:`)) : undefined
    return named === undefined ? servers : (tools.get(named) ?? []).map((tool) => `${named}:${tool}`)
  },
  tool: toolsOf,
  // `execute` takes the name of the tool and the arguments of the tool as one list.
  words: toolsOf,
  client: async () => (await import('../../setup/known-clients.ts')).clientNames(),
  shell: async () => (await import('./completion.ts')).SHELLS,
}

interface UnfinishedLine {
  readonly command: Command
  /** The arguments before the unfinished word. */
  readonly operands: readonly string[]
  /** The word that is completed. */
  readonly unfinished: string
}

async function toolsOf(work: Work, { operands: [server] }: UnfinishedLine): Promise<readonly string[]> {
  return server === undefined ? [] : ((await readCached(work)).tools.get(server) ?? [])
}

/** The candidates for the value of an option. Another option has none; bash then completes file names. */
const VALUES: Readonly<Record<string, (work: Work, command: string) => Promise<readonly string[]>>> = {
  '--server': async (work) => (await readCached(work)).servers,
  '--strategy': async (_, command) =>
    command === 'example'
      ? (await import('./example.ts')).EXAMPLE_STRATEGIES
      : [...(await import('../../disclosure/strategies/builtins.ts')).strategies.keys()],
  '--listing': async () =>
    (await import('../../disclosure/strategies/listing/listing.ts')).listingShape.listing.unwrap().options,
  '--from': async () => [...(await import('../../config/imports/builtins.ts')).importers.keys()],
  '--ranker': async () => [...(await import('../../search/rankers/builtins.ts')).rankers.keys()],
}

export function createCommand(environment: Environment, { createProgram }: BuildOptions): Command {
  return commandOf('complete', 'Print the words that could come next.', 'complete -- tools ""')
    .argument('[words...]', 'the words so far, the last one unfinished')
    .action((words: readonly string[], flags: CommonFlags) =>
      run(environment, flags, async (work) => {
        const candidates = await findCandidates(work, words, createProgram)
        work.output.show({ words: candidates }, () => candidates)
        return 0
      }),
    )
}

async function findCandidates(
  work: Work,
  words: readonly string[],
  createProgram: BuildOptions['createProgram'],
): Promise<readonly string[]> {
  const unfinished = words.at(-1) ?? ''
  // Options that every command has can come before the command.
  const before = withCommandFirst(words.slice(0, -1))
  const matching = (all: readonly string[]) => all.filter((word) => word.startsWith(unfinished))
  const [name = '', second] = before
  if (before.at(-1) === '--config') return []
  if (before.length === 0 || name.startsWith('-')) return matching(namesOf(await createProgram('')))
  const { commands } = await createProgram(name)
  const parent = commands.find((one) => one.name() === name)
  if (parent === undefined) return []
  const subcommand = parent.commands.find((one) => one.name() === second)
  const command = subcommand ?? parent
  if (unfinished.startsWith('-')) return matching(command.options.flatMap(({ long }) => long ?? []))
  const { operands, option } = readFinished(before.slice(subcommand === undefined ? 1 : 2), command.options)
  if (option !== undefined) return matching((await VALUES[option.long ?? '']?.(work, name)) ?? [])
  if (command.commands.length > 0 && operands.length === 0) return matching(namesOf(command))
  const argument = command.registeredArguments[operands.length]?.name() ?? ''
  return matching((await ARGUMENTS[argument]?.(work, { command, operands, unfinished })) ?? [])
}

/** `operands` are the words that belong to no option. `option` takes the unfinished word as its value. */
function readFinished(words: readonly string[], options: readonly Option[]) {
  const operands: string[] = []
  let option: Option | undefined
  for (const word of words) {
    if (word.startsWith('-')) option = options.find((one) => (one.long === word || one.short === word) && one.required)
    else if (option === undefined) operands.push(word)
    else if (!option.variadic) option = undefined
  }
  return { operands, option }
}

/**
 * Matches a name that means the same in every shell, quoted or unquoted, and that is not an option. A server chooses the
 * names of its tools, and bash inserts a completed name unquoted: `x; touch f #` would run.
 */
const PLAIN_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:@%+,/-]*$/

function plainNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => PLAIN_NAME.test(name))
}

/** Reads only cached descriptions, because the Tab key must not start a server. */
async function readCached(work: Work) {
  const { openSession } = await import('../gateway/session.ts')
  await using session = await openSession(work)
  const { visible } = await session.view()
  const byServer = groupBy(visible.tools, ({ sourceId }) => sourceId)
  const names = [...byServer].map(([server, own]) => [server, plainNames(own.map(({ name }) => name))] as const)
  const tools = new Map(names)
  return { servers: plainNames(session.servers), switchedOff: plainNames(session.switchedOff), tools }
}

function namesOf(command: Command): readonly string[] {
  return command.commands.map((one) => one.name()).filter((name) => name !== 'complete')
}
