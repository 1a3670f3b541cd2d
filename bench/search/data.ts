// The labelled sets and the large catalogs that search is measured on, as snapshots.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Snapshot, type SourceListing, takeSnapshot } from '../../src/catalog/snapshot.ts'
import type { JsonSchema, ToolEntry } from '../../src/core/tool.ts'
import type { LabelledQuery } from '../../src/search/evaluate.ts'
import { dataFolder, readLines } from '../catalog-data.ts'

export interface LabelledSet {
  readonly name: string
  readonly snapshot: Snapshot
  readonly queries: readonly LabelledQuery[]
}

/** One line of a tools file. */
export interface ToolLine {
  readonly server: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema?: JsonSchema
  readonly annotations?: Readonly<Record<string, boolean | string>>
}

interface ServerLine {
  readonly server: string
  readonly tools: readonly Omit<ToolLine, 'server'>[]
}

export const SETS = ['toolbench', 'livemcp', 'metatool-single', 'metatool-multi']

export function hasData(): boolean {
  return existsSync(join(dataFolder(), 'retrieval'))
}

export function describeMissingData(): string {
  return `No data in ${dataFolder()}: set TOOLCRIB_DATA to the folder that has retrieval/, catalog.jsonl and scale-tools.jsonl.`
}

export function loadSet(name: string): LabelledSet {
  return {
    name,
    snapshot: snapshotOf(readLines(`retrieval/${name}/tools.jsonl`)),
    queries: readLines(`retrieval/${name}/queries.jsonl`),
  }
}

/** The tools of real servers that were installed and listed. */
export function loadCatalog(): ToolLine[] {
  const lines = readLines<ServerLine>('catalog.jsonl')
  return lines.flatMap(({ server, tools }) => tools.map((tool) => ({ server, ...tool })))
}

export function loadLargeCatalog(): ToolLine[] {
  return [...loadCatalog(), ...readLines<ToolLine>('scale-tools.jsonl')]
}

export function snapshotOf(tools: readonly ToolLine[]): Snapshot {
  return takeSnapshot(listingsOf(tools))
}

export function listingsOf(tools: readonly ToolLine[]): SourceListing[] {
  const servers = new Map<string, Map<string, ToolEntry>>()
  for (const tool of tools) {
    let server = tool.server
    // A source lists each name once, but the large catalog contains some servers twice.
    while (servers.get(server)?.has(tool.name) === true) server += ' again'
    const entries = servers.get(server) ?? new Map<string, ToolEntry>()
    servers.set(server, entries)
    entries.set(tool.name, entryOf(tool))
  }
  return [...servers].map(([sourceId, entries]) => ({ sourceId, entries: [...entries.values()] }))
}

function entryOf({ server: _server, ...tool }: ToolLine): ToolEntry {
  return {
    ...tool,
    description: tool.description ?? '',
    inputSchema: tool.inputSchema ?? { type: 'object' },
    traits: {},
    validate: (value) => ({ ok: true, value }),
  }
}
