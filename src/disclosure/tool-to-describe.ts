// Finds a tool that a caller wants described, or the error if the tool cannot be described.

import type { FailureResult } from '../core/result.ts'
import type { Tool } from '../core/tool.ts'
import type { Visibility } from '../rules/visibility.ts'
import { nameIn, noToolsFailure } from './lookup.ts'
import type { ToolRef, View } from './view.ts'

type ToolToDescribe = { readonly tool: Tool; readonly visibility: Visibility } | { readonly refused: FailureResult }

/** Returns the tool if it passes `isAllowed` and its schema is known. By default, only visible tools are allowed. */
export function toolToDescribe(
  ref: ToolRef,
  view: View,
  isAllowed = ({ degree }: Visibility) => degree === 'visible',
): ToolToDescribe {
  const target = view.lookup(ref)
  if (target.found && isAllowed(target.visibility)) {
    const { tool, visibility } = target
    const refused = refuseUnknownSchema(tool, view)
    return refused === undefined ? { tool, visibility } : { refused }
  }
  const refused = view.refusal(ref)
  // `refusal` returns undefined only for a visible tool, and a visible tool is allowed.
  if (refused === undefined) throw new Error(`'${nameIn(ref)}' was neither found nor refused`)
  return { refused }
}

/** The error if the schema is unknown because the server has not started. Undefined if the schema is known. */
function refuseUnknownSchema(tool: Tool, view: View): FailureResult | undefined {
  if (tool.isSchemaUnknown !== true) return undefined
  const { sourceId: server, name } = tool
  const source = view.sources.find(({ id }) => id === server)
  const state = source?.state === 'failed' ? (source.reason ?? 'it could not be started') : 'it is still starting'
  const { remedy, loginCommand } = source ?? {}
  const reason = `${state}, so the parameters of '${name}' are not known`
  const failed = noToolsFailure(server, { reason, remedy, loginCommand })
  return { ...failed, error: { ...failed.error, server, tool: name } }
}
