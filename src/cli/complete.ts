// toolcrib complete: prints the words that can come next, for the scripts that `completion` prints.

import type { Command, Option } from 'commander'
import type { Environment } from './environment.ts'
import { withCommandFirst } from './global-options.ts'
import { type CommonFlags, commandOf, run, type Work } from './work.ts'

/** Commands that take a server as their first word, and those that take one of its tools as their second. */
const TAKES_SERVER = new Set(['tools', 'inspect', 'execute', 'doctor', 'login', 'logout'])
const TAKES_TOOL = new Set(['inspect', 'execute'])
const TAKES_CLIENT = new Set(['install', 'uninstall'])
const SHELLS = ['bash', 'zsh', 'fish']

/** The candidates for the value of an option. For other options with a value the shell completes file names. */
const VALUES: Readonly<Record<string, (work: Work, command: string) => Promise<readonly string[]>>> = {
  '--server': async (work) => (await openCached(work)).servers,
  '--strategy': async (_, command) =>
    command === 'example'
      ? (await import('./example.ts')).EXAMPLE_STRATEGIES
      : [...(await import('../disclosure/builtins.ts')).strategies.keys()],
  '--listing': async () => (await import('../disclosure/listing/listing.ts')).listingShape.listing.unwrap().options,
  '--from': async () => [...(await import('../config/imports/builtins.ts')).importers.keys()],
  '--ranker': async () => [...(await import('../search/builtins.ts')).rankers.keys()],
}

export function completeCommand(environment: Environment, program: () => Promise<Command>): Command {
  return commandOf('complete', 'Print the words that could come next.', 'complete -- tools ""')
    .argument('[words...]', 'the words so far, the last one unfinished')
    .action((words: readonly string[], flags: CommonFlags) =>
      run(environment, flags, async (work) => {
        const found = await candidates(work, words, await program())
        work.output.show({ words: found }, () => found)
        return 0
      }),
    )
}

async function candidates(work: Work, given: readonly string[], program: Command): Promise<readonly string[]> {
  const last = given.at(-1) ?? ''
  // The unfinished word stays last. Options that every command has can come before the command.
  const before = withCommandFirst(given.slice(0, -1))
  const words = [...before, last]
  const starting = (all: readonly string[]) => all.filter((word) => word.startsWith(last))
  const [name = ''] = words
  if (before.at(-1) === '--config') return []
  if (before.length === 0 || name.startsWith('-')) return starting(namesOf(program))
  const command = program.commands.find((one) => one.name() === name)
  if (command === undefined) return []
  if (last.startsWith('-')) return starting(command.options.flatMap(({ long }) => long ?? []))
  const { operands, open: option } = readBefore(words.slice(1, -1), command.options)
  if (option !== undefined) return starting((await VALUES[option.long ?? '']?.(work, name)) ?? [])
  if (name === 'completion' && operands.length === 0) return starting(SHELLS)
  if (TAKES_CLIENT.has(name) && operands.length === 0) {
    return starting((await import('./setup/known-clients.ts')).clientNames())
  }
  if (command.commands.length > 0 && operands.length === 0) return starting(namesOf(command))
  if (!TAKES_SERVER.has(name) || operands.length > 1) return []
  const { servers, tools } = await openCached(work)
  const [server = ''] = operands
  if (operands.length === 1) return TAKES_TOOL.has(name) ? starting(tools.get(server) ?? []) : []
  const colon = TAKES_TOOL.has(name) ? servers.find((one) => last.startsWith(`${one}:`)) : undefined
  return colon === undefined ? starting(servers) : starting((tools.get(colon) ?? []).map((tool) => `${colon}:${tool}`))
}

interface Before {
  /** Words that are not part of an option. */
  readonly operands: readonly string[]
  /** The option that the unfinished word belongs to. */
  readonly open: Option | undefined
}

function readBefore(words: readonly string[], options: readonly Option[]): Before {
  const operands: string[] = []
  let open: Option | undefined
  for (const word of words) {
    if (word.startsWith('-')) open = options.find((one) => (one.long === word || one.short === word) && one.required)
    else if (open === undefined) operands.push(word)
    else if (!open.variadic) open = undefined
  }
  return { operands, open }
}

/**
 * Matches names that mean the same in every shell, quoted or unquoted, and that are not options. A server chooses the
 * names of its tools, and installed scripts of earlier versions insert them unquoted: `x; touch f #` would run.
 */
const PLAIN_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:@%+,/-]*$/

function plainNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => PLAIN_NAME.test(name))
}

/** Uses cached descriptions only: pressing the Tab key must not start a server. */
async function openCached(work: Work) {
  const { openSession } = await import('./session.ts')
  await using session = await openSession(work)
  const { visible } = await session.view()
  const tools = new Map<string, readonly string[]>()
  for (const { sourceId, name } of visible.tools) {
    tools.set(sourceId, [...(tools.get(sourceId) ?? []), ...plainNames([name])])
  }
  return { servers: plainNames(session.servers), tools }
}

function namesOf(command: Command): readonly string[] {
  return command.commands.map((one) => one.name()).filter((name) => name !== 'complete')
}
