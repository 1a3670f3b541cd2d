// Determines which sources a request needs, so that it waits only for those.

import type { Snapshot } from '../catalog/snapshot.ts'
import { serverIn } from '../catalog/tool-set.ts'
import { isRecord } from '../core/is-record.ts'
import { parseJson } from '../core/json.ts'

/** The sources that a request needs: all of them, or those of the named servers and tools. */
export type Needs = 'all' | NamedNeeds

interface NamedNeeds {
  /** The names of servers. */
  readonly servers?: readonly string[]
  /**
   * The tools, by any of their names. A known tool needs its source only if its schema is unknown and `withSchemas` is
   * set. An unknown name may need all sources.
   */
  readonly tools?: readonly string[]
  /** The request shows the parameters of the tools, so their schemas must be known. */
  readonly withSchemas?: boolean
  /** The request runs the tool, so it waits for a named server even if earlier requests have already waited for it. */
  readonly isCall?: boolean
}

/** The needs of a request that names one tool or several. */
export function toolsNamed(names: unknown): Needs {
  const given = [parseNames(names)].flat()
  return given.every((name) => typeof name === 'string') ? { tools: given } : 'all'
}

/** The needs of a request that names a server or tools. `field` has the tools. If both are named, the server counts. */
export function serverOrTools(args: unknown, field: string): Needs {
  if (!isRecord(args)) return {}
  return typeof args.server === 'string' ? { servers: [args.server] } : toolsNamed(args[field])
}

/** The needs of a request that shows the parameters of the named tools. */
export function withSchemas(needs: Needs): Needs {
  return needs === 'all' ? needs : { ...needs, withSchemas: true }
}

/** The needs of a request that runs a tool, or reads more of a result by its handle. */
export function toolToRun(args: unknown, field: string): Needs {
  if (!isRecord(args)) return 'all'
  if (args.handle !== undefined) return {}
  // The most frequent case. It needs no copies of objects.
  if (typeof args.server === 'string') return { servers: [args.server], isCall: true }
  return asCall(serverOrTools(args, field))
}

/** The needs of a request that runs a list of tools, one in each entry. */
export function toolsToRun(args: unknown, field: string): Needs {
  const entries = isRecord(args) ? args[field] : undefined
  if (!Array.isArray(entries)) return 'all'
  return asCall(toolsNamed(entries.map((entry) => (isRecord(entry) ? entry.command : undefined))))
}

/** Returns the ids of the needed sources. `known` has the tools that are already listed. */
export function sourcesNeeded(
  needs: Needs,
  known: Snapshot,
  sources: () => readonly string[],
): readonly string[] | 'all' {
  if (needs === 'all') return 'all'
  const { servers = [], tools = [] } = needs
  const named = tools.map((name) => {
    const found = known.find(name)
    if (found?.isSchemaUnknown === true && needs.withSchemas === true) return [found.sourceId]
    if (found !== undefined || known.named(name).length > 0) return []
    return serverIn(name, sources())
  })
  const found = named.filter((server) => server !== undefined)
  return found.length < named.length ? 'all' : [...new Set([...servers, ...found.flat()])]
}

/**
 * The list of names if a model sent it as JSON text. Returns every other value as it is. A tool name never looks like
 * such a text.
 */
export function parseNames(given: unknown): unknown {
  if (typeof given !== 'string' || !given.trimStart().startsWith('[')) return given
  const parsed = parseJson(given)
  return Array.isArray(parsed) && parsed.every((name) => typeof name === 'string') ? parsed : given
}

function asCall(needs: Needs): Needs {
  return needs === 'all' ? needs : { ...needs, isCall: true }
}
