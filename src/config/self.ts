// Whether a connection leads back to this gateway: importing that would start it over and over.

import { readFileSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Connection } from './server-config.ts'

const NAME = 'toolcrib'
const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'fish', 'powershell', 'pwsh'])
const RUNNERS = new Set(['npx', 'pnpx', 'bunx', 'npm', 'pnpm', 'yarn', 'bun', 'deno', 'corepack'])
const INTERPRETERS = new Set(['node', 'nodejs', 'bun', 'deno', 'tsx', 'ts-node'])
const SUBCOMMANDS = new Set(['exec', 'x', 'dlx', 'run', 'npx', 'pnpm', 'yarn'])
/** Flags whose value is the next word. */
const TAKES_VALUE = new Set(
  '-p --package -r --require --import --loader --experimental-loader --env-file -C --conditions --name --network --hostname --label -l'.split(
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

/** `ownUrls`: the addresses this gateway answers on. */
export function isSelf(connection: Connection, ownUrls: readonly string[] = []): boolean {
  const own = new Set(ownUrls.map(addressOf))
  if (connection.type !== 'stdio') return isOwn(connection.url, own)
  const words = unwrap([connection.command, ...connection.args])
  // A bridge, such as mcp-remote, is given our address as an argument.
  return runsGateway(words, connection.cwd) || words.some((word) => isOwn(word, own))
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

function runsGateway([program = '', ...rest]: readonly string[], cwd: string | undefined): boolean {
  const name = programName(program)
  if (name === NAME) return !isWrap(rest)
  const words = positionals(rest)
  if (name === 'docker' || name === 'podman')
    return words.some((word) => /^(?:[\w.-]+(?::\d+)?\/)*toolcrib(?:[:@].*)?$/.test(word))
  if (RUNNERS.has(name)) {
    const at = words.findIndex((word) => !SUBCOMMANDS.has(word))
    if (/^toolcrib(?:@.*)?$/.test(words[at] ?? '')) return !isWrap(words.slice(at + 1))
  }
  if (!INTERPRETERS.has(name)) return false
  const at = words.findIndex((word) => /[\\/]|\.[cm]?[jt]s$/.test(word))
  return isOurScript(words[at] ?? '', cwd) && !isWrap(words.slice(at + 1))
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
  return words.find((word) => !word.startsWith('-')) === 'wrap'
}

function positionals(words: readonly string[]): string[] {
  return words.filter((word, index) => !word.startsWith('-') && !TAKES_VALUE.has(words[index - 1] ?? ''))
}

function splitWords(words: readonly string[]): string[] {
  return words.flatMap((word) => word.split(/\s+/)).map((word) => word.replace(/^["']|["']$/g, ''))
}

function programName(program: string): string {
  const name = program.split(/[\\/]/).at(-1) ?? ''
  return name.toLowerCase().replace(/\.(?:cmd|exe|ps1|bat)$/, '')
}
