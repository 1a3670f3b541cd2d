// Keeps what a gateway knew of its servers, so that the next command need not make one.

import { createHash } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LoadedConfig } from '../../config/load.ts'
import { isModule } from '../../config/load-module.ts'
import { USAGE_KEY } from '../../crib/usage.ts'
import type { View } from '../../disclosure/view.ts'
import { saveIndex } from '../../search/bm25f/save-index.ts'
import type { Index } from '../../search/ranker.ts'
import { manifestFile, manifestKey } from '../../sources/upstream/manifest.ts'
import { entryName } from '../../storage/entry-file.ts'
import { stampOf } from '../../storage/file-stamp.ts'
import { writeAtomic } from '../../storage/write-atomic.ts'
import type { Environment } from '../environment.ts'
import { projectNote } from '../project-note.ts'
import { type ServingNote, servingNotes } from '../serving-notes.ts'
import { type Startable, startable } from '../startable.ts'
import { encodeCatalog } from './catalog-file.ts'
import type { Grounds } from './grounds.ts'
import { CATALOG_ENDING, catalogFile, circumstancesOf, knownDir, makerOf, PLACE_ENDING, placeFile } from './places.ts'

/** What a catalog is made of, before any of it is read. */
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

export interface KnownNow {
  readonly view: View
  readonly unknown: readonly string[]
  readonly index: Index
  readonly remarks: readonly string[]
}

const MAX_CATALOGS = 8
const MAX_PLACES = 64

/** Undefined for a configuration of which nothing may be kept. */
export function planOf(loaded: LoadedConfig, { cacheDir, home }: Environment): CatalogPlan | undefined {
  const { config, servers, origin, project } = loaded
  // A module may depend on anything, so what it says is never kept.
  const runsCode = project?.isCode === true && (project.state === 'used' || project.state === 'invalid')
  const isFollowed = (origin.kind === 'defaults' || !isModule(origin.file)) && !runsCode
  if (!isFollowed || !config.discovery.cache.enabled || !config.discovery.enabled) return undefined
  const able = servers.filter((server) => server.enabled).map(startable)
  const files = able.map(({ key }) => manifestFile(join(cacheDir, 'manifests'), key))
  return {
    key: keyOf(loaded),
    startable: able,
    manifests: Object.fromEntries(files.map((file) => [file, stampOf(file)])),
    switchedOff: servers.filter((server) => !server.enabled).map(({ name }) => name),
    notes: servingNotes(loaded),
    note: projectNote(loaded, home),
    learns: config.discovery.search.learn,
  }
}

export async function keepCatalog(environment: Environment, plan: CatalogPlan, now: KnownNow): Promise<void> {
  const { key, manifests, switchedOff, notes, note, learns } = plan
  const usageFile = join(environment.stateDir, 'store', entryName(USAGE_KEY))
  const { view, unknown, index, remarks } = now
  const sections = saveIndex(index)
  if (sections === undefined) return
  const infos = new Map(view.sources.map(({ id, toolCount: _count, reason: _reason, ...info }) => [id, info]))
  const servers = plan.startable.map((server) => ({
    ...server,
    // Of what runs or starts in this process the next one knows nothing.
    info: { ...infos.get(server.id), state: 'known' as const },
    isUnknown: unknown.includes(server.id),
  }))
  const head = {
    key,
    maker: makerOf(environment),
    manifests,
    servers,
    switchedOff,
    remarks,
    notes,
    ...(note === undefined ? {} : { note }),
    ...(learns ? { learnsFrom: usageFile } : {}),
  }
  await writeAtomic(catalogFile(environment, key), encodeCatalog(head, view.known.tools, sections))
  await sweep(environment, CATALOG_ENDING, MAX_CATALOGS)
}

export async function keepPlace(
  environment: Environment,
  config: string | undefined,
  grounds: Grounds,
  catalog: string,
): Promise<void> {
  const place = { circumstances: circumstancesOf(environment, config), grounds, catalog }
  await writeAtomic(placeFile(environment, config), JSON.stringify(place))
  await sweep(environment, PLACE_ENDING, MAX_PLACES)
}

/** For a configuration that has come to say that nothing is kept. */
export async function forget(
  environment: Environment,
  config: string | undefined,
  loaded: LoadedConfig,
): Promise<void> {
  await rm(placeFile(environment, config), { force: true })
  await rm(catalogFile(environment, keyOf(loaded)), { force: true })
}

/** Connections stand in it as the keys of their manifests do: no secret is ever hashed by itself. */
function keyOf(loaded: LoadedConfig): string {
  const { config, servers, rules, projectRules } = loaded
  const note = projectNote(loaded, '')
  const shown = servers.map((server) => {
    const { name, enabled, title, description, tools } = server
    return [name, enabled, title, description, tools, manifestKey(server)]
  })
  return createHash('sha256')
    .update(JSON.stringify([shown, rules, projectRules, config.discovery.search.learn, servingNotes(loaded), note]))
    .digest('hex')
    .slice(0, 32)
}

/** Of folders and configurations that nobody has come back to, those written longest ago give way. */
async function sweep(environment: Environment, ending: string, max: number): Promise<void> {
  const dir = knownDir(environment)
  const names = (await readdir(dir)).filter((name) => name.endsWith(ending))
  if (names.length <= max) return
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(dir, name), at: (await stat(join(dir, name))).mtimeMs })),
  )
  const old = files.toSorted((a, b) => b.at - a.at).slice(max)
  await Promise.all(old.map(({ path }) => rm(path, { force: true })))
}
