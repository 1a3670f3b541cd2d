// toolcrib complete: the words that could come next, for the scripts that `completion` prints.

import type { Command } from 'commander'
import type { Environment } from './environment.ts'
import { type CommonFlags, commandOf, run, type Work } from './work.ts'

/** Commands whose first word is a server, and those whose second is one of its tools. */
const TAKES_SERVER = new Set(['tools', 'inspect', 'execute', 'doctor'])
const TAKES_TOOL = new Set(['inspect', 'execute'])
const TAKES_CLIENT = new Set(['install', 'uninstall'])
const SHELLS = ['bash', 'zsh', 'fish']

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

async function candidates(work: Work, words: readonly string[], program: Command): Promise<readonly string[]> {
  const last = words.at(-1) ?? ''
  const starting = (all: readonly string[]) => all.filter((word) => word.startsWith(last))
  const [name = ''] = words
  if (words.length <= 1) return starting(namesOf(program))
  const command = program.commands.find((one) => one.name() === name)
  if (command === undefined) return []
  if (last.startsWith('-')) return starting(command.options.flatMap(({ long }) => long ?? []))
  const before = words.slice(1, -1).filter((word) => !word.startsWith('-'))
  if (words.at(-2) === '--server') return starting((await open(work)).servers)
  if (name === 'completion' && before.length === 0) return starting(SHELLS)
  if (TAKES_CLIENT.has(name) && before.length === 0) {
    return starting((await import('./setup/known-clients.ts')).clientNames())
  }
  if (command.commands.length > 0 && before.length === 0) return starting(namesOf(command))
  if (!TAKES_SERVER.has(name) || before.length > 1) return []
  const { servers, tools } = await open(work)
  const [server = ''] = before
  if (before.length === 1) return TAKES_TOOL.has(name) ? starting(tools.get(server) ?? []) : []
  const colon = TAKES_TOOL.has(name) ? servers.find((one) => last.startsWith(`${one}:`)) : undefined
  return colon === undefined ? starting(servers) : starting((tools.get(colon) ?? []).map((tool) => `${colon}:${tool}`))
}

/** From what is known: pressing a key must not start a server. */
async function open(work: Work) {
  const { openSession } = await import('./session.ts')
  await using session = await openSession(work)
  const { visible } = await session.view()
  const tools = new Map<string, string[]>()
  for (const { sourceId, name } of visible.tools) tools.set(sourceId, [...(tools.get(sourceId) ?? []), name])
  return { servers: session.servers, tools }
}

function namesOf(command: Command): readonly string[] {
  return command.commands.map((one) => one.name()).filter((name) => name !== 'complete')
}
