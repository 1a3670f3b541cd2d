// The cached description of a server: its tools, its protocol era and when it was listed.

import type { ServerConfig } from '../../config/server-config.ts'
import { stableHash } from '../../core/hash.ts'
import { isRecord } from '../../core/is-record.ts'
import type { JsonSchema } from '../../core/tool.ts'
import type { Store } from '../../storage/store.ts'
import { checkTools, type ListProblem, type UpstreamTool } from './tool-list.ts'

/** The version of the format. Manifests of other versions are fetched again: their texts may not be clean. */
const FORMAT = 2

export interface Manifest {
  readonly configHash: string
  readonly fetchedAt: number
  readonly era: 'legacy' | 'modern'
  /** When the server last confirmed its era, or 0 if it never did. This expires, because servers can be upgraded. */
  readonly eraAt: number
  readonly serverInfo?: Readonly<Record<string, unknown>>
  readonly instructions?: string
  /** Texts that say how many characters were removed from the server's description of itself. */
  readonly warnings?: readonly string[]
  readonly capabilities: Readonly<Record<string, unknown>>
  /** True if the server has sent a request to a client before. */
  readonly asks?: boolean
  readonly tools: readonly UpstreamTool[]
  readonly problems: readonly ListProblem[]
}

/** Hashes the name and the connection as written: `${VAR}` is not resolved, so its value is not hashed. */
export function manifestKey({ name, connection }: Pick<ServerConfig, 'name' | 'connection'>): string {
  return stableHash([name, connection])
}

/** Undefined if the store has no valid manifest. */
export async function loadManifest(store: Store, key: string): Promise<Manifest | undefined> {
  const stored = await store.get(manifestName(key))
  if (!isStored(stored) || stored.configHash !== key) return undefined
  const { format: _format, ...manifest } = stored
  return { ...manifest, tools: readTools(stored.tools) }
}

/** True if the store has an entry, even if this version cannot read it. */
export async function hasManifest(store: Store, key: string): Promise<boolean> {
  return (await store.get(manifestName(key))) !== undefined
}

export async function saveManifest(store: Store, manifest: Manifest): Promise<void> {
  await store.set(manifestName(manifest.configHash), {
    ...manifest,
    format: FORMAT,
    tools: manifest.tools.map(schemasAsText),
  })
}

type StoredManifest = Omit<Manifest, 'tools'> & { readonly format: number; readonly tools: readonly unknown[] }

function isStored(value: unknown): value is StoredManifest {
  if (!isRecord(value)) return false
  const { configHash, fetchedAt, era, eraAt, serverInfo, instructions, capabilities, asks, tools, problems } = value
  const { format, warnings = [] } = value
  return (
    format === FORMAT &&
    Array.isArray(warnings) &&
    warnings.every((warning) => typeof warning === 'string') &&
    typeof configHash === 'string' &&
    typeof fetchedAt === 'number' &&
    (era === 'legacy' || era === 'modern') &&
    typeof eraAt === 'number' &&
    (serverInfo === undefined || isRecord(serverInfo)) &&
    (instructions === undefined || typeof instructions === 'string') &&
    isRecord(capabilities) &&
    (asks === undefined || typeof asks === 'boolean') &&
    Array.isArray(tools) &&
    Array.isArray(problems) &&
    problems.every(isProblem)
  )
}

function isProblem(value: unknown): value is ListProblem {
  if (!isRecord(value)) return false
  return typeof value.reason === 'string' && (value.tool === undefined || typeof value.tool === 'string')
}

/** Schemas are stored as text: most are never used, and parsed objects take many times the memory. */
function schemasAsText(tool: UpstreamTool): unknown {
  const inputSchema = JSON.stringify(tool.inputSchema)
  return tool.outputSchema === undefined
    ? { ...tool, inputSchema }
    : { ...tool, inputSchema, outputSchema: JSON.stringify(tool.outputSchema) }
}

function readTools(stored: readonly unknown[]): readonly UpstreamTool[] {
  // `saveManifest` has written schemas as text, and its tools have already been checked.
  return stored.every(isTextual) ? stored.map(schemasOnDemand) : checkTools(stored).tools
}

interface TextualTool extends Omit<UpstreamTool, 'inputSchema' | 'outputSchema'> {
  readonly inputSchema: string
  readonly outputSchema?: string
}

function isTextual(tool: unknown): tool is TextualTool {
  if (!isRecord(tool) || typeof tool.name !== 'string' || typeof tool.inputSchema !== 'string') return false
  return tool.outputSchema === undefined || typeof tool.outputSchema === 'string'
}

function schemasOnDemand(tool: TextualTool): UpstreamTool {
  const { inputSchema, outputSchema } = tool
  // Replaced in place, to keep the order of the fields.
  defineOnDemand(tool, 'inputSchema', inputSchema)
  if (outputSchema !== undefined) defineOnDemand(tool, 'outputSchema', outputSchema)
  // `isTextual` has checked it, and the texts have been replaced by getters.
  return tool as unknown as UpstreamTool
}

/** Parses the schema when it is first read, and returns the same object from then on. */
function defineOnDemand(tool: object, field: string, text: string): void {
  let parsed: JsonSchema | undefined
  let left = text
  const get = () => {
    parsed ??= JSON.parse(left) as JsonSchema
    left = ''
    return parsed
  }
  Object.defineProperty(tool, field, { get, enumerable: true, configurable: true })
}

export function manifestName(key: string): string {
  return `manifest:${key}`
}
