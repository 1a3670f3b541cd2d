// What is known of a server without asking it, kept in a store.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import type { ServerConfig } from '../../config/server-config.ts'
import { isRecord } from '../../core/schema.ts'
import { entryName as fileName } from '../../storage/entry-file.ts'
import type { Store } from '../../storage/store.ts'
import { type ListProblem, siftTools, type UpstreamTool } from './tool-list.ts'

export interface Manifest {
  readonly configHash: string
  /** When the server was last asked for its list. */
  readonly fetchedAt: number
  readonly era: 'legacy' | 'modern'
  /** When the era was last found out: servers are upgraded. */
  readonly eraAt: number
  readonly serverInfo?: Readonly<Record<string, unknown>>
  readonly instructions?: string
  readonly capabilities: Readonly<Record<string, unknown>>
  /** It has put a request of its own to a client before. */
  readonly asks?: boolean
  readonly tools: readonly UpstreamTool[]
  readonly problems: readonly ListProblem[]
}

const record = z.custom<Readonly<Record<string, unknown>>>(isRecord)
const problem = z.object({ tool: z.string().exactOptional(), reason: z.string() })
const stored = z.object({
  configHash: z.string(),
  fetchedAt: z.number(),
  era: z.enum(['legacy', 'modern']),
  eraAt: z.number(),
  serverInfo: record.exactOptional(),
  instructions: z.string().exactOptional(),
  capabilities: record,
  asks: z.boolean().exactOptional(),
  tools: z.array(z.unknown()),
  problems: z.array(problem),
})

/** Of the server's name and connection as written: `${VAR}` is hashed as such, so that no secret ever is. */
export function manifestKey({ name, connection }: Pick<ServerConfig, 'name' | 'connection'>): string {
  return createHash('sha256')
    .update(stableJson([name, connection]))
    .digest('hex')
    .slice(0, 32)
}

/** Undefined where there is none, or none that can be used. */
export async function loadManifest(store: Store, key: string): Promise<Manifest | undefined> {
  const parsed = stored.safeParse(await store.get(entryName(key)))
  if (!parsed.success || parsed.data.configHash !== key) return undefined
  const { tools } = siftTools(parsed.data.tools)
  return { ...parsed.data, tools }
}

export async function saveManifest(store: Store, manifest: Manifest): Promise<void> {
  await store.set(entryName(manifest.configHash), manifest)
}

/** Where a file store in this folder keeps the manifest of this key. */
export function manifestFile(dir: string, key: string): string {
  return join(dir, fileName(entryName(key)))
}

function entryName(key: string): string {
  return `manifest:${key}`
}

/** JSON whose keys are in order at every level, so that equal configurations have equal hashes. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
}
