// Finds the tool that a caller wants described, or returns the error. Hashes avoid sending a description twice.

import { z } from 'zod'
import { fingerprint } from '../core/hash.ts'
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
  const source = view.sources.find(({ id }) => id === tool.sourceId)
  const state = source?.state === 'failed' ? (source.reason ?? 'it could not be started') : 'it is still starting'
  const { remedy, loginCommand } = source ?? {}
  const reason = `${state}, so the parameters of '${tool.name}' are not known`
  return noToolsFailure(tool, { reason, remedy, loginCommand })
}

/** The length of a hash: short, to save tokens, but long enough that two tools are unlikely to have the same hash. */
const HASH_CHARS = 6

// A tool is replaced, never edited, so its hash is computed once.
const hashes = new WeakMap<Tool, string>()

/** A hash of the description, the schema and the traits. A client with the same hash needs no new copy. */
export function hashOf(tool: Tool): string {
  const { description, inputSchema, traits } = tool
  const hash = hashes.get(tool) ?? fingerprint(JSON.stringify([description, inputSchema, traits])).slice(-HASH_CHARS)
  hashes.set(tool, hash)
  return hash
}

/** The argument `ifNot` of tools that describe others: the hashes of descriptions that the client already has. */
export const clientHashes = z.union([z.string(), z.array(z.string())]).optional()

export function clientHas(hash: string, given: z.output<typeof clientHashes>): boolean {
  return [given ?? []].flat().includes(hash)
}
