// The warnings and notes that several commands print about servers, rules and a configuration without servers.

import type { ConfigProblem } from '../../config/problem.ts'
import type { CommandError } from '../../core/result.ts'
import type { Unreachable } from './error-for-people.ts'
import type { Output } from './output.ts'
import { count, oneLine, shortenPaths } from './text.ts'

/** Names no file: `add` writes to the config in force, which depends on the folder and the flags. */
const ADDING_SERVERS =
  '`toolcrib import` to see the servers of your MCP clients, or `toolcrib add` to add a server to the config.'

export const HOW_TO_ADD_SERVERS = `Run ${ADDING_SERVERS}`

/** A warning about a tool that has no pin, although its server has pins. */
export const ADDED_AFTER_PINS = 'it is new: the server added it after its tools were pinned'

interface NoServersCause {
  /** Whether the configuration disables discovery, so that its servers are not used. */
  readonly isDiscoveryOff?: boolean
  /** The names of the disabled servers. */
  readonly switchedOff?: readonly string[]
  /** About a config file or a client file that cannot be read. */
  readonly unreadNote?: string | undefined
  /** About config files of the current folder that are not used. */
  readonly projectNote?: string | undefined
}

export function whyNoServers(cause: NoServersCause): string {
  const { isDiscoveryOff = false, switchedOff = [], unreadNote, projectNote } = cause
  if (isDiscoveryOff) return DISCOVERY_IS_OFF
  if (unreadNote !== undefined) return `No server is in use. ${unreadNote}`
  if (switchedOff.length > 0) return [ALL_ARE_DISABLED, projectNote].filter(Boolean).join(' ')
  return projectNote === undefined
    ? `No server is configured. ${HOW_TO_ADD_SERVERS}`
    : `No server is in use. ${projectNote} Or run ${ADDING_SERVERS}`
}

const ALL_ARE_DISABLED = 'All configured servers are disabled; `toolcrib enable NAME` enables one.'

/** A single line, because `serve` prints it on stderr too. */
export const DISCOVERY_IS_OFF =
  'Discovery is disabled: discovery.enabled is false. Set it to true to use the configured servers; `toolcrib config show` names the file.'

/** If no server is in use, replaces the spelling suggestion of SERVER_NOT_FOUND by that reason. */
export function withNoServersReason(error: CommandError, servers: number, cause: NoServersCause): CommandError {
  if (error.code !== 'SERVER_NOT_FOUND' || servers > 0) return error
  return { ...error, suggestion: whyNoServers(cause) }
}

/** About a config entry that is served under another name, or not served. */
export type ServingNote = Pick<ConfigProblem, 'file' | 'path' | 'message'>

/** About a rule, or about a file with servers. */
export interface ConfigWarning {
  readonly message: string
  /** Whether the rule cannot be read. */
  readonly isError?: boolean
}

/** Starts with an empty line. Returns no lines if there are no warnings. */
export function warningLines(warnings: readonly ConfigWarning[], { wrap, paint }: Output): string[] {
  if (warnings.length === 0) return []
  const linesOf = ({ message, isError = false }: ConfigWarning) =>
    wrap(`${isError ? 'Error' : 'Warning'}: ${oneLine(message)}`).map(isError ? paint.red : paint.yellow)
  return ['', ...warnings.flatMap(linesOf)]
}

/** The effect of a setting with an error. */
const SETTING_LEFT_OUT =
  'A gateway that starts now leaves these settings out or gives them their safe value. A running gateway keeps the config that it has.'

/** The effect of a wrong strategy. */
export const START_REFUSED = 'No gateway starts until this is corrected.'

/** Starts with an empty line. Returns no lines if there are no errors. */
export function configErrorLines(
  errors: readonly ServingNote[],
  home: string,
  output: Output,
  effect = SETTING_LEFT_OUT,
): string[] {
  if (errors.length === 0) return []
  return [
    '',
    ...errors.flatMap((one) => output.wrap(`Error: ${servingNoteLine(one, home)}`).map(output.paint.red)),
    ...output.wrap(effect),
  ]
}

/** Paths below the home folder start with `~`, except in quotes. */
export function servingNoteLine({ file, path, message }: ServingNote, home: string): string {
  return shortenPaths(oneLine(`${[file, path].filter(Boolean).join(' ')}: ${message}`), home)
}

/** One line for the servers that need a login and one for the others, each with the command to type next. */
export function unreachedNotes(unreached: ReadonlyMap<string, Pick<Unreachable, 'loginCommand'>>): readonly string[] {
  const all = [...unreached].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const logins = all.flatMap(([, { loginCommand }]) =>
    loginCommand === undefined ? [] : [`\`${oneLine(loginCommand)}\``],
  )
  const others = all.filter(([, { loginCommand }]) => loginCommand === undefined).map(([name]) => oneLine(name))
  const needs = logins.length === 1 ? 'needs' : 'need'
  return [
    ...(logins.length === 0 ? [] : [`${count(logins.length, 'server')} ${needs} login: run ${logins.join(', ')}.`]),
    ...(others.length === 0
      ? []
      : [
          `${count(others.length, 'server')} could not be started: ${others.join(', ')}. \`toolcrib doctor\` shows why.`,
        ]),
  ]
}
