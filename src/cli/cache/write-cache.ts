// Writes the catalog cache, so that the next command needs no gateway.

import { createHash } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LoadedConfig } from '../../config/load/load.ts'
import { isModule } from '../../config/load-module.ts'
import { USAGE_KEY } from '../../crib/usage.ts'
import type { View } from '../../disclosure/view.ts'
import { saveIndex } from '../../search/bm25f/save-index.ts'
import type { Index } from '../../search/ranker.ts'
import type { Environment } from '../../setup/environment.ts'
import { manifestFile, manifestKey } from '../../sources/upstream/manifest.ts'
import { stampOf } from '../../storage/file-stamp.ts'
import { partFile } from '../../storage/part-folder.ts'
import { writeAtomic } from '../../storage/write-atomic.ts'
import { type ServingNote, servingNotes } from '../gateway/serving-notes.ts'
import { type Startable, startable } from '../gateway/startable.ts'
import { projectNote } from '../output/project-note.ts'
import {
  CATALOG_SUFFIX,
  cacheConditions,
  catalogCacheDir,
  catalogFile,
  POINTER_SUFFIX,
  pointerFile,
  programId,
} from './cache-files.ts'
import { encodeCatalog } from './catalog-file.ts'
import type { ConfigInputs } from './config-inputs.ts'

/** The inputs of a catalog, known before any manifest is read. */
export interface CatalogPlan {
  readonly key: string
  readonly startable: readonly Startable[]
  /** The stamp of each manifest. */
  readonly manifests: Readonly<Record<string, string>>
  readonly switchedOff: readonly string[]
  readonly notes: readonly ServingNote[]
  readonly note?: string | undefined
  readonly learns: boolean
}

export interface CatalogContents {
  readonly view: View
  readonly unknown: readonly string[]
  readonly index: Index
  readonly ruleWarnings: readonly string[]
}

const MAX_CATALOGS = 8
const MAX_POINTERS = 64

/** Undefined for a configuration that must not be cached. */
export function planCatalog(loaded: LoadedConfig, environment: Environment): CatalogPlan | undefined {
  const { config, servers, origin, project } = loaded
  // A config module can depend on anything, so its result is never cached.
  const runsCode = project?.isCode === true && (project.state === 'used' || project.state === 'invalid')
  // The stamps of manifests show whether a catalog is outdated, and only the file store has files with stamps.
  const hasStamps = config.store === 'file'
  const isCacheable = (origin.kind === 'defaults' || !isModule(origin.file)) && !runsCode && hasStamps
  if (!isCacheable || !config.discovery.cache.enabled || !config.discovery.enabled) return undefined
  const able = servers.filter((server) => server.enabled).map(startable)
  const files = able.map(({ key }) => manifestFile(environment, key))
  return {
    key: keyOf(loaded),
    startable: able,
    manifests: Object.fromEntries(files.map((file) => [file, stampOf(file)])),
    switchedOff: servers.filter((server) => !server.enabled).map(({ name }) => name),
    notes: servingNotes(loaded),
    note: projectNote(loaded, environment.home),
    learns: config.discovery.search.learn,
  }
}

export async function writeCatalog(
  environment: Environment,
  plan: CatalogPlan,
  contents: CatalogContents,
): Promise<void> {
  const { key, manifests, switchedOff, notes, note, learns } = plan
  const usageFile = partFile('state', environment, USAGE_KEY)
  const { view, unknown, index, ruleWarnings } = contents
  const sections = saveIndex(index)
  const infos = new Map(view.sources.map(({ id, toolCount: _count, reason: _reason, ...info }) => [id, info]))
  const servers = plan.startable.map((server) => ({
    ...server,
    // The states of this process (running, starting) do not apply to the next one.
    info: { ...infos.get(server.id), state: 'known' as const },
    isUnknown: unknown.includes(server.id),
  }))
  const head = {
    key,
    program: programId(environment),
    manifests,
    servers,
    switchedOff,
    ruleWarnings,
    hasIndex: sections !== undefined,
    notes,
    ...(note === undefined ? {} : { note }),
    ...(learns ? { usageFile } : {}),
  }
  await writeAtomic(catalogFile(environment, key), encodeCatalog(head, view.known.tools, sections ?? {}))
  await removeOldest(environment, CATALOG_SUFFIX, MAX_CATALOGS)
}

export async function writePointer(
  environment: Environment,
  config: string | undefined,
  inputs: ConfigInputs,
  catalog: string,
): Promise<void> {
  const pointer = { conditions: cacheConditions(environment, config), inputs, catalog }
  await writeAtomic(pointerFile(environment, config), JSON.stringify(pointer))
  await removeOldest(environment, POINTER_SUFFIX, MAX_POINTERS)
}

/** Removes the cache of a configuration that must no longer be cached. */
export async function removeCached(
  environment: Environment,
  config: string | undefined,
  loaded: LoadedConfig,
): Promise<void> {
  await rm(pointerFile(environment, config), { force: true })
  await rm(catalogFile(environment, keyOf(loaded)), { force: true })
}

/** Uses the manifest keys, which hash each connection as a whole, so no secret is hashed by itself. */
function keyOf(loaded: LoadedConfig): string {
  const { config, servers, rules, projectRules } = loaded
  const note = projectNote(loaded, '')
  const described = servers.map((server) => {
    const { name, enabled, title, description, tools } = server
    return [name, enabled, title, description, tools, manifestKey(server)]
  })
  return createHash('sha256')
    .update(JSON.stringify([described, rules, projectRules, config.discovery.search, servingNotes(loaded), note]))
    .digest('hex')
    .slice(0, 32)
}

/** Keeps the `max` newest files with this suffix. */
async function removeOldest(environment: Environment, suffix: string, max: number): Promise<void> {
  const dir = catalogCacheDir(environment)
  const names = (await readdir(dir)).filter((name) => name.endsWith(suffix))
  if (names.length <= max) return
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(dir, name), at: (await stat(join(dir, name))).mtimeMs })),
  )
  const old = files.toSorted((a, b) => b.at - a.at).slice(max)
  await Promise.all(old.map(({ path }) => rm(path, { force: true })))
}
