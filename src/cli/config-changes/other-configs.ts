// Finds the configs that the gateways of clients use instead of the config in force, and the servers in them.

import { type ConfigOrigin, findConfig } from '../../config/find-config.ts'
import { isModule } from '../../config/load-module.ts'
import { expandHome, pathOn } from '../../config/paths.ts'
import { groupBy } from '../../core/collections.ts'
import type { CommandError } from '../../core/result.ts'
import { shellWord } from '../../core/text.ts'
import type { Environment } from '../../setup/environment.ts'
import { loadFor } from '../../setup/load-config.ts'
import { withConfig } from '../output/output.ts'
import { oneLine, shortPath } from '../output/text.ts'
import type { Work } from '../output/work.ts'
import { withCommandFirst } from '../words/options.ts'
import { type ClientState, clientStates } from './client-table.ts'

interface OtherConfig {
  readonly file: string
  /** The clients with a gateway that uses the file. */
  readonly clients: readonly string[]
  /** The command that checks the servers of the file. */
  readonly command: string
}

export async function otherConfigs(
  { environment }: Pick<Work, 'environment'>,
  clients: readonly ClientState[],
  inForce: ConfigOrigin,
): Promise<readonly OtherConfig[]> {
  const used = await Promise.all(
    clients
      // A relative path belongs to the working folder of the client. Here it could lead to a file without an approval.
      .filter(({ isInstalled, config }) => isInstalled && (config === undefined || isAbsolutePath(config, environment)))
      .map(async ({ client, config }) => {
        const { origin } = await findConfig({ ...environment, explicit: config })
        return { client, file: origin.kind === 'defaults' ? undefined : origin.file }
      }),
  )
  const own = inForce.kind === 'defaults' ? undefined : inForce.file
  return [...groupBy(used, ({ file }) => file)].flatMap(([file, users]) => {
    if (file === undefined || file === own) return []
    const command = withConfig('toolcrib doctor', file, environment.home)
    return [{ file, clients: users.map(({ client }) => client), command }]
  })
}

/** One note for each config. */
export function otherConfigNotes(configs: readonly OtherConfig[]): readonly string[] {
  return configs.map(
    ({ clients, command }) =>
      `Note: the gateway of ${clients.join(' and ')} uses another config. \`${command}\` checks its servers.`,
  )
}

/**
 * Adds to a SERVER_NOT_FOUND error about `server` the command to type if the server is disabled, or if the config of a
 * client has it. Returns any other error unchanged.
 */
export async function explainUnknownServer(work: Work, error: CommandError, server: string): Promise<CommandError> {
  if (error.code !== 'SERVER_NOT_FOUND') return error
  const { environment, flags, signal } = work
  const loaded = await loadFor(environment, flags, signal)
  if (loaded.servers.some(({ name, enabled }) => name === server && !enabled)) {
    const message = `Server '${oneLine(server)}' is disabled in the configuration`
    return { ...error, message, suggestion: `Run \`toolcrib enable ${shellWord(server)}\` to use it.` }
  }
  for (const { file, clients } of await otherConfigs(work, await clientStates(work, {}), loaded.origin)) {
    // A config in code is not run only to explain an error.
    if (isModule(file)) continue
    const { servers } = await loadFor(environment, { config: file }, signal)
    if (!servers.some(({ name }) => name === server)) continue
    const names = { server, tool: error.tool }
    const command = typedWith(shortPath(file, environment.home), process.argv.slice(2), names)
    return { ...error, suggestion: `The config of ${clients.join(' and ')} has it: run \`${command}\`.` }
  }
  return error
}

interface TypedNames {
  readonly server: string
  readonly tool?: string | undefined
}

/**
 * The command line that the user typed, with another value of `--config`. `execute` is repeated with the names only,
 * because the arguments of a call can be secret.
 */
export function typedWith(config: string, typed: readonly string[], names: TypedNames): string {
  const words = withCommandFirst(typed)
  const end = words.indexOf('--')
  const options = end < 0 ? words : words.slice(0, end)
  const kept = options.filter(
    (word, at) => !word.startsWith('--config=') && !isConfig(word) && !isConfig(options[at - 1]),
  )
  const rest = end < 0 ? [] : words.slice(end)
  const line =
    words[0] === 'execute'
      ? [...withoutArguments([...kept, ...rest], names), '--config', config]
      : [...kept, '--config', config, ...rest]
  return ['toolcrib', ...line.map(shellWord)].join(' ')
}

/** The words with the command and the names, and `...` in place of all others. */
function withoutArguments(words: readonly string[], { server, tool = '' }: TypedNames): readonly string[] {
  const shown = ['execute', server, tool, `${server}:${tool}`]
  const named = words.filter((word) => shown.includes(word))
  return named.length === words.length ? words : [...named, '...']
}

function isAbsolutePath(path: string, { home, platform }: Environment): boolean {
  return pathOn(platform).isAbsolute(expandHome(path, home))
}

function isConfig(word: string | undefined): boolean {
  return word === '--config'
}
