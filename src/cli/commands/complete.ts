// toolcrib complete: prints the words that can come next, for the scripts that `completion` prints.

import type { Command, Option } from 'commander'
import type { Environment } from '../../setup/environment.ts'
import { type BuildOptions, type CommonFlags, commandOf, run, type Work } from '../output/work.ts'
import { withCommandFirst } from '../words/global-options.ts'

/** The candidates for an argument, by its name. Other arguments have none; bash then completes file names. */
const ARGUMENTS: Readonly<Record<string, (work: Work, given: Given) => Promise<readonly string[]>>> = {
  async server(work, { command, last }) {
    const { servers, tools, switchedOff } = await readCached(work)
    if (command.name() === 'enable') return switchedOff
    if (command.name() === 'remove') return [...servers, ...switchedOff]
    const isToolNext = command.registeredArguments.slice(1).some((argument) => isTool(argument.name()))
    const named = isToolNext ? servers.find((one) => last.startsWith(`${one}:`)) : undefined
    return named === undefined ? servers : (tools.get(named) ?? []).map((tool) => `${named}:${tool}`)
  },
  tool: toolsOf,
  // `execute` takes the name of the tool and the arguments of the tool as one list.
  words: toolsOf,
  client: async () => (await import('../../setup/known-clients.ts')).clientNames(),
  shell: async () => (await import('./completion.ts')).SHELLS,
}

interface Given {
  readonly command: Command
  /** The arguments before the unfinished word. */
  readonly operands: readonly string[]
  /** The unfinished word. */
  readonly last: string
}

async function toolsOf(work: Work, { operands: [server] }: Given): Promise<readonly string[]> {
  return server === undefined ? [] : ((await readCached(work)).tools.get(server) ?? [])
}

/** Whether the argument with this name is a tool. */
function isTool(argument: string): boolean {
  return ARGUMENTS[argument] === toolsOf
}

/** The candidates for the value of an option. Other values have none; bash then completes file names. */
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
        const found = await candidates(work, words, createProgram)
        work.output.show({ words: found }, () => found)
        return 0
      }),
    )
}

async function candidates(
  work: Work,
  given: readonly string[],
  build: (name: string) => Promise<Command>,
): Promise<readonly string[]> {
  const last = given.at(-1) ?? ''
  // Options that every command has can come before the command.
  const before = withCommandFirst(given.slice(0, -1))
  const starting = (all: readonly string[]) => all.filter((word) => word.startsWith(last))
  const [name = '', second] = before
  if (before.at(-1) === '--config') return []
  if (before.length === 0 || name.startsWith('-')) return starting(namesOf(await build('')))
  const { commands } = await build(name)
  const parent = commands.find((one) => one.name() === name)
  if (parent === undefined) return []
  const subcommand = parent.commands.find((one) => one.name() === second)
  const command = subcommand ?? parent
  if (last.startsWith('-')) return starting(command.options.flatMap(({ long }) => long ?? []))
  const { operands, option } = readFinished(before.slice(subcommand === undefined ? 1 : 2), command.options)
  if (option !== undefined) return starting((await VALUES[option.long ?? '']?.(work, name)) ?? [])
  if (command.commands.length > 0 && operands.length === 0) return starting(namesOf(command))
  const argument = command.registeredArguments[operands.length]?.name() ?? ''
  return starting((await ARGUMENTS[argument]?.(work, { command, operands, last })) ?? [])
}

interface FinishedWords {
  /** Words that are not part of an option. */
  readonly operands: readonly string[]
  /** The option that takes the unfinished word as its value. */
  readonly option: Option | undefined
}

function readFinished(words: readonly string[], options: readonly Option[]): FinishedWords {
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
 * Matches names that mean the same in every shell, quoted or unquoted, and that are not options. A server chooses the
 * names of its tools, and installed scripts of earlier versions insert them unquoted: `x; touch f #` would run.
 */
const PLAIN_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:@%+,/-]*$/

function plainNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => PLAIN_NAME.test(name))
}

/** Reads only cached descriptions: pressing the Tab key must not start a server. */
async function readCached(work: Work) {
  const { openSession } = await import('../gateway/session.ts')
  await using session = await openSession(work)
  const { visible } = await session.view()
  const tools = new Map<string, readonly string[]>()
  for (const { sourceId, name } of visible.tools) {
    tools.set(sourceId, [...(tools.get(sourceId) ?? []), ...plainNames([name])])
  }
  return { servers: plainNames(session.servers), switchedOff: plainNames(session.switchedOff), tools }
}

function namesOf(command: Command): readonly string[] {
  return command.commands.map((one) => one.name()).filter((name) => name !== 'complete')
}
