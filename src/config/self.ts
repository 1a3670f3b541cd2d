// Whether a connection leads to a Toolcrib gateway, and whether to this one, which would start itself over and over.

import { readFileSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ConfigOrigin } from './find-config.ts'
import type { Variables } from './references.ts'
import type { Connection } from './server-config.ts'

const NAME = 'toolcrib'
const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'fish', 'powershell', 'pwsh'])
const RUNNERS = new Set(['npx', 'pnpx', 'bunx', 'npm', 'pnpm', 'yarn', 'bun', 'deno', 'corepack'])
const CONTAINERS = new Set(['docker', 'podman'])
const INTERPRETERS = new Set(['node', 'nodejs', 'bun', 'deno', 'tsx', 'ts-node'])
const SUBCOMMANDS = new Set(['exec', 'x', 'dlx', 'run', 'npx', 'pnpm', 'yarn'])
/** Flags whose value is the next word. */
const TAKES_VALUE = new Set(
  '-p --package -r --require --import --loader --experimental-loader --env-file -C --conditions --name --network --hostname --label -l --config'.split(
    ' ',
  ),
)
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]'])
// cmd /c in env in sh -c: more wrapping than that is a maze, not a command line.
const MAX_WRAPPINGS = 5

/** Under this name clients are given the gateway, with whatever command line its user chose. */
export function isOwnEntry(name: string, { type, ...connection }: Connection): boolean {
  return name === NAME && type === 'stdio' && 'args' in connection && !connection.args.includes('wrap')
}

/** Any Toolcrib gateway that is started, or this one by one of the addresses it answers on. */
export function isSelf(connection: Connection, ownUrls: readonly string[] = []): boolean {
  return startedGateway(connection) !== undefined || isAtOwnAddress(connection, ownUrls)
}

/** `ownUrls`: the addresses this gateway answers on. */
export function isAtOwnAddress(connection: Connection, ownUrls: readonly string[] = []): boolean {
  const own = new Set(ownUrls.map(addressOf))
  if (connection.type !== 'stdio') return isOwn(connection.url, own)
  // A bridge, such as mcp-remote, is given our address as an argument.
  return unwrap([connection.command, ...connection.args]).some((word) => isOwn(word, own))
}

/** A gateway that a connection starts. */
export interface StartedGateway {
  /** Its config as a real path, if it has `--config`; `DEFAULT_CONFIG` if it looks for one where we do. */
  readonly config?: string
}

/** This gateway and the gateways that started it: the ones that must not be started again. */
export interface OwnGateway {
  /** The addresses this gateway answers on. */
  readonly urls?: readonly string[] | undefined
  /** The configs in force here and in the gateways that started this one; real paths, or `DEFAULT_CONFIG`. */
  readonly configs?: readonly string[]
  readonly home?: string
  /** Another gateway started this one. */
  readonly isNested?: boolean
}

/** The config that is found without `--config`. */
export const DEFAULT_CONFIG = ''

/** Carries the configs of the gateways around a server, as a JSON list, so that gateways never start each other in a circle. */
export const WITHIN = 'TOOLCRIB_WITHIN'

/** The value of `WITHIN` for the servers of this gateway: its own config, and those of the gateways that started it. */
export function configsWithin(origin: ConfigOrigin, env: Variables): readonly string[] {
  const file = origin.kind === 'defaults' ? [] : [realPath(origin.file, '.')]
  const found = origin.kind === 'explicit' ? [] : [DEFAULT_CONFIG]
  return [...new Set([...file, ...found, ...configsAround(env)])]
}

/** The configs of the gateways that started this one. */
export function configsAround(env: Variables): readonly string[] {
  try {
    const configs: unknown = JSON.parse(env[WITHIN] ?? '[]')
    return Array.isArray(configs) ? configs.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

/** Folders and variables that decide where a gateway looks for its config. */
const PLACES = ['HOME', 'USERPROFILE', 'XDG_CONFIG_HOME', 'APPDATA']

/** Undefined where the connection starts something else. */
export function startedGateway(connection: Connection, home?: string): StartedGateway | undefined {
  if (connection.type !== 'stdio') return undefined
  const { command, args, cwd, env } = connection
  const words = unwrap([command, ...args])
  const given = gatewayArguments(words, cwd)
  if (given === undefined) return undefined
  // The files of a container are not ours.
  if (CONTAINERS.has(programName(words[0] ?? ''))) return {}
  const config = configIn(given)
  if (config !== undefined) return { config: realPath(withHome(config, home), cwd ?? '.') }
  const isElsewhere = cwd !== undefined || PLACES.some((name) => Object.hasOwn(env, name))
  return isElsewhere ? {} : { config: DEFAULT_CONFIG }
}

function configIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--config' || word.startsWith('--config='))
  const word = words[at]
  return word === '--config' ? words[at + 1] : word?.slice('--config='.length)
}

function withHome(path: string, home: string | undefined): string {
  return home === undefined ? path : path.replace(/^~(?=$|[\\/])/, () => home)
}

function isOwn(url: string, own: ReadonlySet<string | undefined>): boolean {
  const address = addressOf(url)
  return address !== undefined && own.has(address)
}

function addressOf(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const { protocol, hostname, port } = new URL(text)
  const host = LOOPBACK.has(hostname) ? 'localhost' : hostname
  return `${host}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`
}

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
  const after = (word: string | undefined) => {
    const given =
      word === undefined ? rest : rest.slice(rest.findIndex((one, at) => one === word && isPositional(rest, at)) + 1)
    return isWrap(given) ? undefined : given
  }
  if (name === NAME) return after(undefined)
  const words = positionals(rest)
  if (CONTAINERS.has(name)) {
    return words.some((word) => /^(?:[\w.-]+(?::\d+)?\/)*toolcrib(?:[:@].*)?$/.test(word)) ? [] : undefined
  }
  if (RUNNERS.has(name)) {
    const word = words.find((one) => !SUBCOMMANDS.has(one))
    if (/^toolcrib(?:@.*)?$/.test(word ?? '')) return after(word)
  }
  if (!INTERPRETERS.has(name)) return undefined
  const script = words.find((word) => /[\\/]|\.[cm]?[jt]s$/.test(word))
  return script !== undefined && isOurScript(script, cwd) ? after(script) : undefined
}

/** The script of our command, not whatever else lies in a folder of our name. A clone may have any name. */
function isOurScript(path: string, cwd = '.'): boolean {
  const parts = realPath(path, cwd).split(/[\\/]/)
  if (/^toolcrib(?:\.[cm]?js)?$/.test(parts.at(-1) ?? '')) return true
  if (!/^(?:dist|src)\/cli\/main\.[jt]s$/.test(parts.slice(-3).join('/'))) return false
  return parts.at(-4) === NAME || packageNameIn(parts.slice(0, -3).join('/')) === NAME
}

/** Without dots and links; a path of another platform, or to nothing, as it is written. */
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

/** `toolcrib wrap -- server` fronts that one server and reads no config. */
function isWrap(words: readonly string[]): boolean {
  return positionals(words)[0] === 'wrap'
}

function positionals(words: readonly string[]): string[] {
  return words.filter((_, at) => isPositional(words, at))
}

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
