// Rewrites errors for the command line: a model gets the name of a tool to call, a person gets a command to type.

import { type ErrorCode, errors, ToolcribError } from '../core/errors.ts'
import type { CommandError } from '../core/result.ts'
import { messageOf } from '../core/text.ts'

/** The command that a person types in place of each tool that a model calls. */
const TYPED: Readonly<Record<string, string>> = {
  list_mcp_servers: '`toolcrib list`',
  search_tools: '`toolcrib search`',
  list_tools: '`toolcrib tools`',
  get_tool_details: '`toolcrib inspect`',
  execute_tool: '`toolcrib execute`',
}

export function forPeople(error: CommandError): CommandError {
  const suggestion = suggestionFor(error)
  const { cause: _cause, ...rest } = error
  return { ...rest, ...(suggestion === undefined ? {} : { suggestion }) }
}

export function howToInspect(server: string, tool: string): string {
  return `Run \`toolcrib inspect ${server} ${tool}\` to see its parameters.`
}

/** Converts any thrown value into a CommandError. */
export function errorOfThrown(thrown: unknown): CommandError {
  if (!(thrown instanceof ToolcribError)) return { code: 'INTERNAL', message: messageOf(thrown) }
  const { code, suggestion, message } = thrown
  const what = suggestion !== '' && message.endsWith(suggestion) ? message.slice(0, -suggestion.length) : message
  return { code, message: what.replace(/\.\s*$/, ''), suggestion }
}

/** An unknown code comes from the tool itself: the tool ran and failed. */
export function exitCodeOf({ code }: CommandError): number {
  return isKnown(code) ? errors[code].exit : 3
}

function isKnown(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code)
}

function suggestionFor({ code, suggestion, server, tool, details }: CommandError): string | undefined {
  if (code === 'VALIDATION_ERROR' && server !== undefined && tool !== undefined) {
    return howToInspect(server, tool)
  }
  if (code === 'AUTH_REQUIRED' && typeof details?.command === 'string') return `Run \`${details.command}\`.`
  if (code === 'SERVER_UNAVAILABLE' && server !== undefined)
    return `Run \`toolcrib doctor ${server}\` to see all its problems.`
  if (code === 'TOOL_NOT_FOUND' && server !== undefined) {
    return suggestion?.replace('Use search_tools to find tools', `Run \`toolcrib tools ${server}\` to see its tools`)
  }
  return suggestion?.replace(
    /\b(?:list_mcp_servers|search_tools|list_tools|get_tool_details|execute_tool)\b/g,
    (name) => TYPED[name] ?? name,
  )
}
