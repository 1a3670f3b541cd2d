// Converts errors for the command line: their exit codes, and the command that a person can type next.

import { AddressInUse } from '../../core/address-in-use.ts'
import { type ErrorCode, errorOf, errors, ToolcribError } from '../../core/errors.ts'
import type { CommandError } from '../../core/result.ts'
import { messageOf, quoteList, shellWord } from '../../core/text.ts'
import { howToCorrect, UnusableAddress } from '../../core/unusable-address.ts'

export const LIST_SERVERS = '`toolcrib list`'

/** The command that named a tool, so that a suggestion can repeat it. */
interface TypedCommand {
  readonly command: 'execute' | 'inspect'
  /** The name of the tool, without its server. */
  readonly tool: string
}

/** Replaces a suggestion for a model, which names a tool, with one for a person, which names a command. */
export function forPeople(error: CommandError, typed?: TypedCommand): CommandError {
  const suggestion = suggestionFor(error, typed)
  return suggestion === undefined ? error : { ...error, suggestion }
}

/** `server` is empty if it is not known. */
export function howToInspect(server: string, tool: string): string {
  const names = [server, tool].filter((name) => name !== '').map(shellWord)
  return `Run \`toolcrib inspect ${names.join(' ')}\` to see its parameters.`
}

/** The reason why a server cannot be used. */
export interface Unreachable {
  readonly reason: string
  /** The command with which the user logs in. Absent if the server needs no login. */
  readonly loginCommand?: string | undefined
}

export function unavailable(server: string, { reason, loginCommand }: Unreachable): CommandError {
  const error =
    loginCommand === undefined
      ? errorOf('SERVER_UNAVAILABLE', { server, reason, retryAfterMs: 0 })
      : errorOf('AUTH_REQUIRED', { server, reason, command: loginCommand }, { command: loginCommand })
  return forPeople({ ...error, server })
}

export function errorOfThrown(thrown: unknown): CommandError {
  if (thrown instanceof AddressInUse) return addressInUse(thrown)
  if (thrown instanceof UnusableAddress) {
    const suggestion = howToCorrect(thrown.option, { host: '--host', port: '--port' })
    return { code: 'INTERNAL', message: thrown.what, suggestion }
  }
  if (!(thrown instanceof ToolcribError)) return { code: 'INTERNAL', message: messageOf(thrown) }
  const { code, what, suggestion } = thrown
  return { code, message: what, suggestion }
}

function addressInUse({ address, user }: AddressInUse): CommandError {
  const code = 'INTERNAL'
  if (user === undefined) {
    const suggestion = 'Choose another port with --port; 0 takes any free one.'
    return { code, message: `${address} is in use by another program`, suggestion }
  }
  const { pid, url } = user
  return {
    code,
    message: `${address} is in use by your gateway at ${url} (process ${pid})`,
    suggestion: `Use that gateway, which \`toolcrib status\` shows, or end process ${pid}. For a second gateway, choose another port with --port; 0 takes any free one.`,
  }
}

/** A code that is not in our table comes from a tool that ran and failed. */
export function exitCodeOf({ code }: CommandError): number {
  return isKnown(code) ? errors[code].exit : 3
}

function isKnown(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code)
}

/** Undefined if the suggestion of the error can stay as it is. */
function suggestionFor(
  { code, server, tool, details }: CommandError,
  typed: TypedCommand | undefined,
): string | undefined {
  const similar = namesIn(details?.similar)
  switch (code) {
    case 'VALIDATION_ERROR':
      return server === undefined || tool === undefined ? undefined : howToInspect(server, tool)
    case 'AUTH_REQUIRED':
      return typeof details?.command === 'string' ? `Run \`${details.command}\`.` : undefined
    case 'SERVER_UNAVAILABLE':
      return server === undefined ? undefined : `Run \`toolcrib doctor ${shellWord(server)}\` to see all its problems.`
    case 'SERVER_NOT_FOUND':
      return errors.SERVER_NOT_FOUND.fix({ similar, list: LIST_SERVERS })
    case 'TOOL_NOT_FOUND':
      if (server === undefined) return errors.TOOL_NOT_FOUND.fix({ similar, find: '`toolcrib search`' })
      return `${similar.length === 0 ? '' : `Did you mean ${quoteList(similar)}? `}Run \`toolcrib tools ${shellWord(server)}\` to see its tools.`
    case 'TOOL_AMBIGUOUS': {
      const [first] = namesIn(details?.servers)
      if (first === undefined || typed === undefined) return undefined
      const rest = typed.command === 'execute' ? ' …' : ''
      return `Name the server too, for example \`toolcrib ${typed.command} ${shellWord(first)} ${shellWord(typed.tool)}${rest}\`.`
    }
    default:
      return undefined
  }
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}
