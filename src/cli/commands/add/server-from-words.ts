// Reads the server that the words and flags of `toolcrib add` describe.

import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { ServerInput } from '../../../config/config.ts'
import { readServers } from '../../../config/config-entry.ts'
import { REMOTE_TYPES } from '../../../config/connection-kinds.ts'
import { ownDialect } from '../../../config/dialect.ts'
import { resolveTemplatePath } from '../../../config/paths.ts'
import { renderTemplate } from '../../../config/references.ts'
import type { ServerConfig } from '../../../config/server-config.ts'
import { raise } from '../../../core/errors.ts'
import type { Environment } from '../../../setup/environment.ts'
import type { CommonFlags } from '../../output/work.ts'
import { parseHeader } from '../../words/repeated-options.ts'

export interface AddFlags extends CommonFlags {
  readonly env: readonly string[]
  readonly header: readonly string[]
  readonly type?: string
  readonly cwd?: string
  readonly project?: boolean
  /** False with --no-check. */
  readonly check: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
}

interface AddContext {
  readonly environment: Pick<Environment, 'cwd' | 'home' | 'platform'>
  /** Whether the words come after `--`, so that they are a command and not an address. */
  readonly isCommand: boolean
}

/** Raises INVALID_ARGUMENTS if the words do not describe a server. */
export function serverFromWords(
  name: string,
  words: readonly string[],
  flags: AddFlags,
  { environment, isCommand }: AddContext,
): ServerConfig {
  const { cwd, home, platform } = environment
  const entry = isCommand ? commandEntry(words, flags, cwd) : addressEntry(words, flags)
  const location = {
    file: '',
    path: [],
    source: 'config',
    dialect: ownDialect,
    resolvePath: (path: string) => resolveTemplatePath(path, { home, platform, base: cwd }),
  }
  const { servers, problems } = readServers([{ ...entry, name }], location, 'error')
  const [server] = servers
  if (server !== undefined) return server
  const [first] = problems
  return refuse(
    first === undefined ? 'The arguments do not describe a server' : `The server cannot be added: ${first.message}`,
  )
}

function commandEntry(words: readonly string[], flags: AddFlags, folder: string): ServerInput {
  const [command, ...args] = words
  if (command === undefined) return refuse('Write the command of the server after --')
  if (flags.header.length > 0) return refuse('--header is for an address; a command takes variables with --env')
  if (flags.type !== undefined) return refuse('--type is for an address; a command uses stdio')
  // A gateway may start in any folder, so a relative path in the command needs the current folder as `cwd`.
  // The command itself is a name in PATH, unless it contains a separator.
  const paths = /[/\\]/.test(command) ? words : args
  const cwd = flags.cwd ?? (paths.some((word) => isPathIn(folder, word)) ? renderTemplate([folder]) : undefined)
  return {
    command,
    ...(args.length === 0 ? {} : { args }),
    ...(flags.env.length === 0 ? {} : { env: Object.fromEntries(flags.env.map(variableFrom)) }),
    ...(cwd === undefined ? {} : { cwd }),
  }
}

function addressEntry([url, ...others]: readonly string[], flags: AddFlags): ServerInput {
  if (url === undefined) return refuse('Give the address of the server, or its command after --')
  if (!/^https?:\/\//i.test(url)) {
    return refuse(
      `'${url}' is not an address: an address starts with http:// or https://. To add a command, write it after --`,
    )
  }
  if (others.length > 0) return refuse(`An address takes no further arguments: '${others.join(' ')}'`)
  if (flags.env.length > 0) return refuse('--env is for a command; an address takes headers with --header')
  if (flags.cwd !== undefined) return refuse('--cwd is for a command, not for an address')
  const { type } = flags
  if (type !== undefined && !REMOTE_TYPES.includes(type))
    return refuse(`--type takes ${REMOTE_TYPES.join(' or ')}, not '${type}'`)
  return {
    ...(type === undefined ? {} : { type }),
    url,
    ...(flags.header.length === 0 ? {} : { headers: Object.fromEntries(flags.header.map(headerFrom)) }),
  }
}

/** True for a word that starts with ./ or ../, and for the relative path of an existing file or folder. */
function isPathIn(folder: string, word: string): boolean {
  if (isAbsolute(word) || word.startsWith('-') || word === '') return false
  return /^\.\.?(?:[/\\]|$)/.test(word) || existsSync(resolve(folder, word))
}

function variableFrom(line: string): readonly [string, string] {
  const [, name, value] = /^([^=\s]+)=([\s\S]*)$/.exec(line) ?? []
  return name === undefined || value === undefined ? refuse('--env takes NAME=value') : [name, value]
}

function headerFrom(line: string): readonly [string, string] {
  return parseHeader(line) ?? refuse("--header takes 'Name: value'")
}

function refuse(reason: string): never {
  return raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib add' })
}
