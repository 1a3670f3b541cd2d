// Reads the name of a tool from the command line: `server tool`, `server:tool` or only `tool`.

import { raise } from '../../core/errors.ts'
import type { CommandError } from '../../core/result.ts'
import { shellWord } from '../../core/text.ts'

export interface NamedTool {
  /** Undefined if only a tool is named; any server may then have it. */
  readonly server: string | undefined
  readonly tool: string
  readonly rest: readonly string[]
}

/** `servers` are the configured names, because a name may contain a colon. */
export function readToolWords(words: readonly string[], servers: readonly string[], command: string): NamedTool {
  const named = readNames(words, servers, command)
  if (named.tool !== '' && named.server !== '') return named
  const reason = named.server === '' ? 'The name of the server is empty' : 'The name of the tool is empty'
  return raise('INVALID_ARGUMENTS', { reason, command: `toolcrib ${command}` })
}

function readNames(words: readonly string[], servers: readonly string[], command: string): NamedTool {
  const [first = '', second, ...others] = words
  const rest = second === undefined ? others : [second, ...others]
  if (servers.includes(first)) {
    if (second === undefined || isPair(second)) {
      raise('INVALID_ARGUMENTS', {
        reason: `Name a tool of '${first}'`,
        command: `toolcrib ${command}`,
        todo: `Run \`toolcrib tools ${shellWord(first)}\` to see its tools.`,
      })
    }
    // `github github:create_issue` names the server twice.
    return {
      server: first,
      tool: second.startsWith(`${first}:`) ? second.slice(first.length + 1) : second,
      rest: others,
    }
  }
  // If servers `a` and `a:b` both match, the longer name is used.
  const [named] = servers.filter((server) => first.startsWith(`${server}:`)).toSorted((a, b) => b.length - a.length)
  if (named !== undefined) return { server: named, tool: first.slice(named.length + 1), rest }
  const colon = first.indexOf(':')
  if (colon > 0) return { server: first.slice(0, colon), tool: first.slice(colon + 1), rest }
  return second === undefined || isPair(second)
    ? { server: undefined, tool: first, rest }
    : { server: first, tool: second, rest: others }
}

/** A command needs the named server. If only a tool is named, it needs every server that starts within the time limit. */
export function serverNeedFor({ server }: NamedTool) {
  return {
    isNeeded: (name: string) => server === undefined || name === server,
    isPatient: server !== undefined,
    withSchemas: true,
  }
}

/** Adds the named server and tool to an error that does not name them. */
export function withNamedTool(error: CommandError, { server, tool }: NamedTool): CommandError {
  return server === undefined ? error : { server, tool, ...error }
}

/** Whether the word is an argument such as `key=value`. */
function isPair(word: string): boolean {
  return /^[^=\s]+=/.test(word)
}
