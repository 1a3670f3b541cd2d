// Writes the catalog to a file, so that the next command needs no gateway.

import { createHash } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { saveTools } from '../../catalog/saved-tools.ts'
import type { LoadedConfig } from '../../config/load/load.ts'
import { isModule } from '../../config/load-module.ts'
import { USAGE_KEY } from '../../crib/usage.ts'
import type { View } from '../../disclosure/view.ts'
import type { Index } from '../../search/ranker.ts'
import { DEFAULT_RANKER, rankers } from '../../search/rankers/builtins.ts'
import type { Environment } from '../../setup/environment.ts'
import { manifestFile, manifestKey } from '../../sources/upstream/manifest.ts'
import { pinsKey } from '../../sources/upstream/pins/pin-record.ts'
import { stampOf } from '../../storage/file-stamp.ts'
import { partFile } from '../../storage/part-folder.ts'
import { encodeSections } from '../../storage/section-file.ts'
import { writeAtomic } from '../../storage/write-atomic.ts'
import { servedConfig } from '../gateway/served-config.ts'
import {
  CATALOG_SUFFIX,
  type CatalogHead,
  type CatalogPlan,
  cacheConditions,
  catalogCacheDir,
  catalogFile,
  POINTER_SUFFIX,
  pointerFile,
  programId,
} from './cached-catalog.ts'
import type { ConfigInputs } from './config-inputs.ts'

const MAX_CATALOGS = 8
const MAX_POINTERS = 64

/** Undefined for a configuration that must not be cached. */
export function planCatalog(loaded: LoadedConfig, environment: Environment): CatalogPlan | undefined {
  const { config, origin, project } = loaded
  // The code of a config module can read anything, so its result is never cached.
  const runsCode = project?.isCode === true && (project.state === 'used' || project.state === 'invalid')
  // The stamps of manifests show whether a catalog is outdated, and only the file store has files with stamps.
  const hasStamps = config.store === 'file'
  const isCacheable = (origin.kind === 'defaults' || !isModule(origin.file)) && !runsCode && hasStamps
  if (!isCacheable || !config.discovery.cache.enabled || !config.discovery.enabled) return undefined
  const served = servedConfig(loaded, environment.home)
  const pinFiles = loaded.servers.map((server) => partFile('state', environment, pinsKey(server)))
  const files = [...served.startable.map(({ key }) => manifestFile(environment, key)), ...pinFiles]
  return {
    key: keyOf(loaded),
    served,
    ranker: config.discovery.search.ranker ?? DEFAULT_RANKER,
    manifests: Object.fromEntries(files.map((file) => [file, stampOf(file)])),
    ...(config.discovery.search.learn ? { usageFile: partFile('state', environment, USAGE_KEY) } : {}),
  }
}

export async function writeCatalog(
  environment: Environment,
  plan: CatalogPlan,
  view: View,
  index: Index,
  ruleWarnings: readonly string[],
): Promise<void> {
  const storage = await rankers.get(plan.ranker)?.storage?.()
  const saved = storage?.save(index)
  if (saved === undefined) return
  const { names, sections } = saveTools(view.known.tools)
  const head: CatalogHead = {
    ...plan,
    program: programId(environment),
    // The states of this process (running, starting) do not apply to the next one.
    sources: view.sources.map(({ reason: _reason, ...source }) => ({ ...source, state: 'known' })),
    ruleWarnings,
    names,
  }
  await writeAtomic(catalogFile(environment, plan.key), encodeSections(head, { ...sections, ...saved }))
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

/** The cache key. Its manifest keys hash each connection as a whole, so no secret is hashed by itself. */
function keyOf(loaded: LoadedConfig): string {
  const { config, servers, rules, projectRules } = loaded
  const { notes, note } = servedConfig(loaded, '')
  const serverParts = servers.map((server) => {
    const { name, enabled, title, description, tools } = server
    return [name, enabled, title, description, tools, manifestKey(server)]
  })
  return createHash('sha256')
    .update(
      JSON.stringify([
        serverParts,
        rules,
        projectRules,
        config.discovery.search,
        config.discovery.pinning,
        notes,
        note,
      ]),
    )
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
