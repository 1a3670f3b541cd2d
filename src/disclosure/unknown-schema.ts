// The error for a request for a schema that is unknown because the server has not started.

import type { FailureResult } from '../core/result.ts'
import type { Tool } from '../core/tool.ts'
import { noToolsFailure } from './lookup.ts'
import type { View } from './view.ts'

/** Undefined if the schema is known. */
export function refuseUnknownSchema(tool: Tool, view: Pick<View, 'sources'>): FailureResult | undefined {
  if (tool.isSchemaUnknown !== true) return undefined
  const { sourceId: server, name } = tool
  const source = view.sources.find(({ id }) => id === server)
  const state = source?.state === 'failed' ? (source.reason ?? 'it could not be started') : 'it is still starting'
  const { remedy, loginCommand } = source ?? {}
  const reason = `${state}, so the parameters of '${name}' are not known`
  const failed = noToolsFailure(server, { reason, remedy, loginCommand })
  return { ...failed, error: { ...failed.error, server, tool: name } }
}
