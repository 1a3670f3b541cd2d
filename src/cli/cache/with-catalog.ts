// Reads the catalog from the cache file, or opens a session in this command and writes the file for the next one.

import { createHash } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { saveTools } from '../../catalog/saved-tools.ts'
import { realFiles } from '../../config/config-files.ts'
import type { LoadedConfig } from '../../config/load/load.ts'
import { isModule } from '../../config/load-module.ts'
import { storeOf } from '../../config/store-setting.ts'
import { rankerIn } from '../../crib/config-plugins.ts'
import { USAGE_KEY } from '../../crib/usage.ts'
import type { View } from '../../disclosure/view.ts'
import type { Index, Ranker } from '../../search/ranker.ts'
import { DEFAULT_RANKER, rankers } from '../../search/rankers/builtins.ts'
import { approvalsFile } from '../../setup/approvals.ts'
import type { Environment } from '../../setup/environment.ts'
import { loadValid } from '../../setup/load-config.ts'
import { manifestKey, manifestName } from '../../sources/upstream/manifest.ts'
import { pinsKey } from '../../sources/upstream/pins/pin-record.ts'
import { writeAtomic } from '../../storage/atomic-file.ts'
import { stampOf } from '../../storage/file-stamp.ts'
import { entryFileFinder } from '../../storage/open-stores.ts'
import { encodeSections } from '../../storage/section-file.ts'
import { servedConfig } from '../gateway/served-config.ts'
import { openReadySession, type ServerNeed } from '../gateway/session.ts'
import type { ConfigWarning } from '../output/notes.ts'
import type { Work } from '../output/work.ts'
import {
  answerFromCache,
  answerFromCatalog,
  type CatalogHead,
  type CatalogPointer,
  cacheConditions,
  catalogFile,
  mayUseCache,
  pointerFile,
  programId,
  type UseReader,
  type WithCatalog,
} from './cached-catalog.ts'
import { type ConfigInputs, recordInputs } from './config-inputs.ts'

export const withCatalog: WithCatalog = async (work, need, useExplained) => {
  const use: UseReader = (catalog) =>
    useExplained({
      ...catalog,
      explain: async (error, server) =>
        (await import('../config-changes/other-configs.ts')).explainUnknownServer(work, error, server),
    })
  return (await answerFromCache(work, need, use)) ?? answerFromGateway(work, need, use)
}

async function answerFromGateway(work: Work, need: ServerNeed, use: UseReader): Promise<number> {
  const { environment, flags } = work
  const recorder = recordInputs(realFiles, environment.env)
  recorder.note(approvalsFile(environment.stateDir))
  const recorded = { ...work, environment: { ...environment, env: recorder.env } }
  const loaded = await loadValid(recorded, recorder.files)
  const planned = planCatalog(loaded, environment)
  if (planned === undefined) await ignoreFailure(removeCached(environment, flags.config, loaded))
  const plan = mayUseCache(work) ? planned : undefined
  const point = (key: string) => writePointer(environment, flags.config, recorder.inputs(), key)
  if (plan !== undefined) {
    // The pointer may be outdated. The catalog is still valid if no server and no rule has changed.
    const code = await answerFromCatalog(plan.key, work, need, use)
    if (code !== undefined) {
      await ignoreFailure(point(plan.key))
      return code
    }
  }

  const { ranker, built } = remembering(rankerIn(loaded.config))
  await using session = await openReadySession(work, need, { loaded, ranker })
  const code = await use(session)
  // If servers were started, the next command reads their manifests and writes the cache.
  if (plan !== undefined && !session.canStartServers && !work.signal.aborted) {
    const write = async () => {
      const view = await session.view()
      const index = built() ?? (await ranker(view.known, work.signal))
      await plan.write(view, index, await session.ruleWarnings())
      await point(plan.key)
    }
    await ignoreFailure(write())
  }
  return code
}

/** Gives access to the index that a search has built, so that it is not built twice. */
function remembering(ranker: Ranker): { readonly ranker: Ranker; built(): Index | undefined } {
  let last: Index | undefined
  return {
    async ranker(...given) {
      last = await ranker(...given)
      return last
    },
    built: () => last,
  }
}

/** Ignores a failed write or removal. The cache is optional, and the home folder may be read-only. */
async function ignoreFailure(work: Promise<void>): Promise<void> {
  await work.catch(() => {})
}

const MAX_CATALOGS = 8
const MAX_POINTERS = 64

/** The key of the cached catalog, and the function that writes it. Undefined if it cannot or must not be cached. */
function planCatalog(loaded: LoadedConfig, environment: Environment) {
  const { config, origin, project, servers } = loaded
  const { cache, enabled, search } = config.discovery
  // The code of a config module can read anything, so its result is never cached.
  const isCode = origin.kind !== 'defaults' && isModule(origin.file)
  const runsCode = project?.isCode === true && (project.state === 'used' || project.state === 'invalid')
  if (isCode || runsCode || !cache.enabled || !enabled) return undefined
  const filePathOf = entryFileFinder(storeOf(loaded), environment)
  // If the entries of the store are not files, a command cannot see whether the catalog is outdated.
  if (filePathOf === undefined) return undefined

  const served = servedConfig(loaded, environment.home)
  const manifests = served.startable.map(({ key }) => filePathOf('manifests', manifestName(key)))
  const pins = servers.map((server) => filePathOf('state', pinsKey(server)))
  const stamps = Object.fromEntries([...manifests, ...pins].map((path) => [path, stampOf(path)]))
  const key = keyOf(loaded, environment)
  const ranker = search.ranker ?? DEFAULT_RANKER
  return {
    key,
    /** Writes the file, unless the index cannot be saved. */
    async write(view: View, index: Index, ruleWarnings: readonly ConfigWarning[]) {
      const storage = await rankers.get(ranker)?.storage?.()
      const saved = storage?.save(index)
      if (saved === undefined) return
      const head: CatalogHead = {
        program: programId(environment),
        stamps,
        ...(search.learn ? { usage: filePathOf('state', USAGE_KEY) } : {}),
        ranker,
        served,
        // The states of this process (connected, starting, failed) do not apply to the next one.
        sources: view.sources.map(({ reason: _reason, ...source }) => ({ ...source, state: 'known' })),
        ruleWarnings,
      }
      const sections = { ...saveTools(view.known.tools), ...saved }
      await writeCached(catalogFile(environment, key), encodeSections(head, sections), MAX_CATALOGS)
    },
  }
}

/** Writes nothing if the inputs are not known. */
async function writePointer(
  environment: Environment,
  config: string | undefined,
  inputs: ConfigInputs | undefined,
  catalog: string,
): Promise<void> {
  if (inputs === undefined) return
  const pointer: CatalogPointer = { conditions: cacheConditions(environment, config), inputs, catalog }
  await writeCached(pointerFile(environment, config), encodeSections(pointer, {}), MAX_POINTERS)
}

/** Removes the cache of a configuration that must no longer be cached. */
async function removeCached(environment: Environment, config: string | undefined, loaded: LoadedConfig): Promise<void> {
  await rm(pointerFile(environment, config), { force: true })
  await rm(catalogFile(environment, keyOf(loaded, environment)), { force: true })
}

/** Uses the manifest keys, which hash each connection as a whole, so no secret is hashed by itself. */
function keyOf(loaded: LoadedConfig, environment: Environment): string {
  const { config, servers, rules, projectRules } = loaded
  const { search, pinning } = config.discovery
  const { servingNotes, sourceWarnings, projectNote } = servedConfig(loaded, '')
  const serverParts = servers.map((server) => {
    const { name, enabled, title, description, tools } = server
    return [name, enabled, title, description, tools, manifestKey(server)]
  })
  const place = [environment.stateDir, config.store]
  const notes = [servingNotes, sourceWarnings, projectNote]
  return createHash('sha256')
    .update(JSON.stringify([place, serverParts, rules, projectRules, search, pinning, ...notes]))
    .digest('hex')
    .slice(0, 32)
}

/** Writes the file, and keeps only the `max` newest files with the same extension in its folder. */
async function writeCached(file: string, bytes: Uint8Array, max: number): Promise<void> {
  await writeAtomic(file, bytes)
  const dir = dirname(file)
  const names = (await readdir(dir)).filter((name) => extname(name) === extname(file))
  if (names.length <= max) return
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(dir, name), at: (await stat(join(dir, name))).mtimeMs })),
  )
  const old = files.toSorted((a, b) => b.at - a.at).slice(max)
  await Promise.all(old.map(({ path }) => rm(path, { force: true })))
}
