// Writes the catalog to a file, so that the next command needs no gateway.

import { createHash } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { saveTools } from '../../catalog/saved-tools.ts'
import type { LoadedConfig } from '../../config/load/load.ts'
import { isModule } from '../../config/load-module.ts'
import { storeOf } from '../../config/store-setting.ts'
import { USAGE_KEY } from '../../crib/usage.ts'
import type { View } from '../../disclosure/view.ts'
import type { Index } from '../../search/ranker.ts'
import { DEFAULT_RANKER, rankers } from '../../search/rankers/builtins.ts'
import type { Environment } from '../../setup/environment.ts'
import { manifestKey, manifestName } from '../../sources/upstream/manifest.ts'
import { pinsKey } from '../../sources/upstream/pins/pin-record.ts'
import { writeAtomic } from '../../storage/atomic-file.ts'
import { stampOf } from '../../storage/file-stamp.ts'
import { entryAddresses } from '../../storage/open-stores.ts'
import { encodeSections } from '../../storage/section-file.ts'
import { servedConfig } from '../gateway/served-config.ts'
import {
  CATALOG_SUFFIX,
  type CatalogHead,
  type CatalogPointer,
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

/** The catalog of one configuration, before any manifest is read. */
interface CatalogPlan {
  readonly key: string
  /** Writes the file, unless the index cannot be saved. */
  write(view: View, index: Index, ruleWarnings: readonly string[]): Promise<void>
}

/** Undefined for a configuration that cannot or must not be cached. */
export function planCatalog(loaded: LoadedConfig, environment: Environment): CatalogPlan | undefined {
  const { config, origin, project, servers } = loaded
  const { cache, enabled, search } = config.discovery
  // The code of a config module can read anything, so its result is never cached.
  const isCode = origin.kind !== 'defaults' && isModule(origin.file)
  const runsCode = project?.isCode === true && (project.state === 'used' || project.state === 'invalid')
  if (isCode || runsCode || !cache.enabled || !enabled) return undefined
  const addressOf = entryAddresses(storeOf(loaded), environment)
  // Without addresses, a command cannot see whether the catalog is outdated.
  if (addressOf === undefined) return undefined

  const served = servedConfig(loaded, environment.home)
  const manifests = served.startable.map(({ key }) => addressOf('manifests', manifestName(key)))
  const pins = servers.map((server) => addressOf('state', pinsKey(server)))
  const stamps = Object.fromEntries([...manifests, ...pins].map((address) => [address, stampOf(address)]))
  const key = keyOf(loaded, environment)
  const ranker = search.ranker ?? DEFAULT_RANKER
  return {
    key,
    async write(view, index, ruleWarnings) {
      const storage = await rankers.get(ranker)?.storage?.()
      const saved = storage?.save(index)
      if (saved === undefined) return
      const head: CatalogHead = {
        program: programId(environment),
        stamps,
        ...(search.learn ? { usage: addressOf('state', USAGE_KEY) } : {}),
        ranker,
        served,
        // The states of this process (connected, starting, failed) do not apply to the next one.
        sources: view.sources.map(({ reason: _reason, ...source }) => ({ ...source, state: 'known' })),
        ruleWarnings,
      }
      const sections = { ...saveTools(view.known.tools), ...saved }
      await writeAtomic(catalogFile(environment, key), encodeSections(head, sections))
      await removeOldest(environment, CATALOG_SUFFIX, MAX_CATALOGS)
    },
  }
}

/** Writes nothing if the inputs are not known. */
export async function writePointer(
  environment: Environment,
  config: string | undefined,
  inputs: ConfigInputs | undefined,
  catalog: string,
): Promise<void> {
  if (inputs === undefined) return
  const pointer: CatalogPointer = { conditions: cacheConditions(environment, config), inputs, catalog }
  await writeAtomic(pointerFile(environment, config), encodeSections(pointer, {}))
  await removeOldest(environment, POINTER_SUFFIX, MAX_POINTERS)
}

/** Removes the cache of a configuration that must no longer be cached. */
export async function removeCached(
  environment: Environment,
  config: string | undefined,
  loaded: LoadedConfig,
): Promise<void> {
  await rm(pointerFile(environment, config), { force: true })
  await rm(catalogFile(environment, keyOf(loaded, environment)), { force: true })
}

/** Uses the manifest keys, which hash each connection as a whole, so no secret is hashed by itself. */
function keyOf(loaded: LoadedConfig, environment: Environment): string {
  const { config, servers, rules, projectRules } = loaded
  const { search, pinning } = config.discovery
  const { notes, note } = servedConfig(loaded, '')
  const serverParts = servers.map((server) => {
    const { name, enabled, title, description, tools } = server
    return [name, enabled, title, description, tools, manifestKey(server)]
  })
  const place = [environment.stateDir, config.store]
  return createHash('sha256')
    .update(JSON.stringify([place, serverParts, rules, projectRules, search, pinning, notes, note]))
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
