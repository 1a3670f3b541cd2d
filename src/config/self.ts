// Detects whether a connection leads to a Toolcrib gateway. A gateway that starts itself would do so without end.

import { readFileSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseJson } from '../core/json.ts'
import type { ConfigOrigin } from './find-config.ts'
import { expandHome } from './paths.ts'
import type { Variables } from './references.ts'
import { type Connection, programIn, remoteIn } from './server-config.ts'

const NAME = 'toolcrib'
const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'fish', 'powershell', 'pwsh'])
const RUNNERS = new Set(['npx', 'pnpx', 'bunx', 'npm', 'pnpm', 'yarn', 'bun', 'deno', 'corepack'])
const CONTAINERS = new Set(['docker', 'podman'])
const INTERPRETERS = new Set(['node', 'nodejs', 'bun', 'deno', 'tsx', 'ts-node'])
/** Words between the name of a runner and the package that it runs. */
const SUBCOMMANDS = new Set(['exec', 'x', 'dlx', 'run', 'npx', 'pnpm', 'yarn'])
/** Flags that take the next word as their value. */
const TAKES_VALUE = new Set(
  '-p --package -r --require --import --loader --experimental-loader --env-file -C --conditions --name --network --hostname --label -l --config'.split(
    ' ',
  ),
)
/** The hosts by which this machine reaches itself, and the addresses of a gateway that listens on all interfaces. */
const OWN_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]'])
// Wrappers such as `cmd /c`, `env` and `sh -c` can be nested. A real command line has fewer levels.
const MAX_WRAPPINGS = 5

/**
 * Whether this is the entry that `toolcrib install` writes into clients. The user may have changed its command line.
 */
export function isOwnEntry(name: string, connection: Connection): boolean {
  return name === NAME && programIn(connection)?.args.includes('wrap') === false
}

/** Whether the connection starts any Toolcrib gateway, or uses an address of this one. */
export function isSelf(connection: Connection, ownUrls: readonly string[] = []): boolean {
  return startedGateway(connection) !== undefined || isAtOwnAddress(connection, ownUrls)
}

/** Whether the connection leads to an address of this gateway. */
export function isAtOwnAddress(connection: Connection, ownUrls: readonly string[] = []): boolean {
  const own = new Set(ownUrls.map(addressOf))
  const program = programIn(connection)
  // A bridge such as mcp-remote gets our address as an argument.
  const words = program === undefined ? [] : unwrap([program.command, ...program.args])
  const addresses = [...words, remoteIn(connection)?.url ?? ''].map(addressOf)
  return addresses.some((address) => address !== undefined && own.has(address))
}

/** A gateway that a connection starts. */
interface StartedGateway {
  /**
   * The real path of its config if it has `--config`, or `DEFAULT_CONFIG` if it searches in the same folders as this
   * gateway. Undefined if its config is not known.
   */
  readonly config?: string
  /** True if it runs in a container, from which it cannot start this gateway. */
  readonly isInContainer?: boolean
}

/** This gateway and the gateways that started it. They must not be started again. */
export interface OwnGateway {
  /** The addresses of this gateway. */
  readonly urls?: readonly string[] | undefined
  /** The configs of this gateway and of the gateways that started it: real paths, or `DEFAULT_CONFIG`. */
  readonly configs?: readonly string[]
  /** The home directory of the user. */
  readonly home?: string
  /** Whether another gateway started this one. */
  readonly isNested?: boolean
}

/** Marks the config that is found without `--config`. */
export const DEFAULT_CONFIG = ''

/**
 * The variable that passes the configs of all parent gateways to a server, as a JSON list. It prevents gateways from
 * starting each other in a circle.
 */
export const PARENT_CONFIGS = 'TOOLCRIB_WITHIN'

/** The value of `PARENT_CONFIGS` for the servers of this gateway: its own config and the parent configs. */
export function configChain(origin: ConfigOrigin, env: Variables): readonly string[] {
  const file = origin.kind === 'defaults' ? [] : [realPath(origin.file, '.')]
  const found = origin.kind === 'explicit' ? [] : [DEFAULT_CONFIG]
  return [...new Set([...file, ...found, ...parentConfigs(env)])]
}

/** The configs of the gateways that started this one. */
export function parentConfigs(env: Variables): readonly string[] {
  const configs = parseJson(env[PARENT_CONFIGS] ?? '')
  return Array.isArray(configs) ? configs.filter((one) => typeof one === 'string') : []
}

/** Variables that decide in which folders a gateway searches for its config. */
const FOLDER_VARIABLES = ['HOME', 'USERPROFILE', 'XDG_CONFIG_HOME', 'APPDATA']

/** Undefined if the connection does not start a gateway. */
export function startedGateway(connection: Connection, home?: string): StartedGateway | undefined {
  const program = programIn(connection)
  if (program === undefined) return undefined
  const { command, args, cwd, env } = program
  const words = unwrap([command, ...args])
  const given = gatewayArguments(words, cwd)
  if (given === undefined) return undefined
  // The files inside a container are not the files of this machine.
  if (CONTAINERS.has(programName(words[0] ?? ''))) return { isInContainer: true }
  const config = configIn(given)
  if (config !== undefined)
    return { config: realPath(home === undefined ? config : expandHome(config, home), cwd ?? '.') }
  const isElsewhere = cwd !== undefined || FOLDER_VARIABLES.some((name) => Object.hasOwn(env, name))
  return isElsewhere ? {} : { config: DEFAULT_CONFIG }
}

/** Returns the value of `--config` in a command line. Undefined if it has none. */
export function configIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--config' || word.startsWith('--config='))
  const word = words[at]
  return word === '--config' ? words[at + 1] : word?.slice('--config='.length)
}

/** Host and port of an address, with one name for all hosts in `OWN_HOSTS`. Undefined for other texts. */
function addressOf(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const { protocol, hostname, port } = new URL(text)
  const host = OWN_HOSTS.has(hostname) ? 'localhost' : hostname
  return `${host}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`
}

/** Removes wrappers such as `cmd /c`, `env A=1` and `sh -c` from a command line. */
function unwrap(given: readonly string[]): string[] {
  let words = [...given]
  for (let count = 0; count < MAX_WRAPPINGS; count++) {
    const [program = '', ...rest] = words
    const name = programName(program)
    if (name === 'cmd') words = splitWords(rest.filter((word) => !word.startsWith('/')))
    else if (name === 'env') words = rest.slice(rest.findIndex((word) => !/^-|^\w+=/.test(word)))
    else if (SHELLS.has(name))
      words = splitWords(rest.slice(rest.findIndex((word) => /^-[a-z]{0,3}c$|^-command$/i.test(word)) + 1))
    else break
  }
  return words
}

/** The arguments of our program. Undefined for other programs, and for `wrap`, which reads no config. */
function gatewayArguments([program = '', ...rest]: readonly string[], cwd: string | undefined): string[] | undefined {
  const name = programName(program)
  const argumentsAfter = (word: string | undefined) => {
    const given =
      word === undefined ? rest : rest.slice(rest.findIndex((one, at) => one === word && isPositional(rest, at)) + 1)
    // `toolcrib wrap -- server` serves that one server.
    return positionals(given)[0] === 'wrap' ? undefined : given
  }
  if (name === NAME) return argumentsAfter(undefined)
  const words = positionals(rest)
  if (CONTAINERS.has(name)) {
    return words.some((word) => /^(?:[\w.-]+(?::\d+)?\/)*toolcrib(?:[:@].*)?$/.test(word)) ? [] : undefined
  }
  if (RUNNERS.has(name)) {
    const word = words.find((one) => !SUBCOMMANDS.has(one))
    if (/^toolcrib(?:@.*)?$/.test(word ?? '')) return argumentsAfter(word)
  }
  // Some systems call the program `node-22`.
  if (!INTERPRETERS.has(name.replace(/-?\d+$/, ''))) return undefined
  const script = words.find((word) => /[\\/]|\.[cm]?[jt]s$/.test(word))
  return script !== undefined && isOurScript(script, cwd) ? argumentsAfter(script) : undefined
}

/**
 * Whether this is the script of our command. Other scripts in a folder named `toolcrib` do not count. The folder of a
 * clone may have any name.
 */
function isOurScript(path: string, cwd = '.'): boolean {
  const parts = realPath(path, cwd).split(/[\\/]/)
  if (/^toolcrib(?:\.[cm]?js)?$/.test(parts.at(-1) ?? '')) return true
  if (!/^(?:dist|src)\/cli\/main\.[jt]s$/.test(parts.slice(-3).join('/'))) return false
  return parts.at(-4) === NAME || packageNameIn(parts.slice(0, -3).join('/')) === NAME
}

/** Resolves dots and links, for a missing file only dots. A path of another platform stays as written. */
function realPath(path: string, cwd: string): string {
  try {
    return realpathSync(resolve(cwd, path))
  } catch {
    return path.includes('\\') ? path : resolve(cwd, path)
  }
}

function packageNameIn(folder: string): unknown {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name
  } catch {
    return undefined
  }
}

function positionals(words: readonly string[]): string[] {
  return words.filter((_, at) => isPositional(words, at))
}

/** Whether the word is neither a flag nor the value of a flag. */
function isPositional(words: readonly string[], at: number): boolean {
  return words[at]?.startsWith('-') === false && !TAKES_VALUE.has(words[at - 1] ?? '')
}

function splitWords(words: readonly string[]): string[] {
  return words.flatMap((word) => word.split(/\s+/)).map((word) => word.replace(/^["']|["']$/g, ''))
}

function programName(program: string): string {
  const name = program.split(/[\\/]/).at(-1) ?? ''
  return name.toLowerCase().replace(/\.(?:cmd|exe|ps1|bat)$/, '')
}
