// The labelled sets and the large catalogs that search is measured on, as snapshots.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Snapshot, type SourceListing, takeSnapshot } from '../../src/catalog/snapshot.ts'
import type { JsonSchema, ToolEntry } from '../../src/core/tool.ts'
import type { LabelledQuery } from '../../src/search/evaluate.ts'
import { dataFolder } from '../catalog-data.ts'

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

const FOLDER = dataFolder()

export function hasData(): boolean {
  return existsSync(join(FOLDER, 'retrieval'))
}

export function describeMissingData(): string {
  return `No data in ${FOLDER}: set TOOLCRIB_DATA to the folder that has retrieval/, catalog.jsonl and scale-tools.jsonl.`
}

export function loadSet(name: string, folder = 'retrieval'): LabelledSet {
  return {
    name,
    snapshot: snapshotOf(lines<ToolLine>(`${folder}/${name}/tools.jsonl`)),
    queries: lines<LabelledQuery>(`${folder}/${name}/queries.jsonl`),
  }
}

/** The tools of real servers that were installed and listed. */
export function loadCatalog(): ToolLine[] {
  return lines<ServerLine>('catalog.jsonl').flatMap(({ server, tools }) => tools.map((tool) => ({ server, ...tool })))
}

export function loadLargeCatalog(): ToolLine[] {
  return [...loadCatalog(), ...lines<ToolLine>('scale-tools.jsonl')]
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

function lines<Line>(path: string): Line[] {
  const text = readFileSync(join(FOLDER, path), 'utf8')
  // The files have the format that their README describes.
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
}
