// Reads the cached catalog: a file with the tools of all configured servers, their index, and the inputs of both.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTools, type SavedNames } from '../../catalog/saved-tools.ts'
import { fingerprint } from '../../core/fingerprint.ts'
import { isRecord } from '../../core/is-record.ts'
import type { DescribedTool } from '../../core/tool.ts'
import { createFinder } from '../../crib/finder.ts'
import { createSelections } from '../../crib/selections.ts'
import { storedCounts } from '../../crib/usage.ts'
import type { SearchableCatalog } from '../../disclosure/searchable-catalog.ts'
import type { SourceView } from '../../disclosure/view.ts'
import type { Environment } from '../../setup/environment.ts'
import { readEntry } from '../../storage/entry-file.ts'
import { stampOf } from '../../storage/file-stamp.ts'
import { DamagedFile, openSections, type SectionFile } from '../../storage/section-file.ts'
import type { ServerNeed } from '../gateway/ready-session.ts'
import type { ServedConfig } from '../gateway/served-config.ts'
import { notStartable, type Unreached } from '../gateway/unreachable.ts'
import type { Work } from '../output/work.ts'
import type { UseCatalog } from './catalog-reader.ts'
import { areUnchanged, type ConfigInputs } from './config-inputs.ts'

/** The part of a cached catalog that is known before any manifest is read. */
export interface CatalogPlan {
  readonly key: string
  readonly served: ServedConfig
  /** The name of the ranker that built the index. */
  readonly ranker: string
  /** The stamp of each manifest file and pins file, taken before the file was read. */
  readonly manifests: Readonly<Record<string, string>>
  /** The entry of the store with the call counts that improve searches; absent if `discovery.search.learn` is off. */
  readonly usageFile?: string
}

/** The first section of the file. */
export interface CatalogHead extends CatalogPlan {
  /** Identifies the program that wrote the file, see `programId`. */
  readonly program: readonly string[]
  readonly sources: readonly SourceView[]
  /** Stored, because comparing the rules with all tools takes longer than the rest of the answer. */
  readonly ruleWarnings: readonly string[]
  readonly names: SavedNames
}

interface CachedCatalog {
  readonly head: CatalogHead
  readonly file: SectionFile
}

/** Maps a folder and its configuration to a catalog. */
interface CatalogPointer {
  /** See `cacheConditions`. */
  readonly conditions: readonly string[]
  readonly inputs: ConfigInputs
  /** The key of the catalog for this configuration. */
  readonly catalog: string
}

export const POINTER_SUFFIX = '.pointer.json'
export const CATALOG_SUFFIX = '.catalog'

export function catalogCacheDir({ cacheDir }: Pick<Environment, 'cacheDir'>): string {
  return join(cacheDir, 'known')
}

export function catalogFile(environment: Pick<Environment, 'cacheDir'>, key: string): string {
  return join(catalogCacheDir(environment), `${key}${CATALOG_SUFFIX}`)
}

export function pointerFile(environment: Environment, config: string | undefined): string {
  const name = fingerprint(JSON.stringify(locationOf(environment, config)))
  return join(catalogCacheDir(environment), `${name}${POINTER_SUFFIX}`)
}

/** All conditions of a cached answer besides files and variables: the program, the folders and the config file. */
export function cacheConditions(environment: Environment, config: string | undefined): readonly string[] {
  return [...programId(environment), ...locationOf(environment, config)]
}

/**
 * Identifies the build and the processor: another build may read and rank differently, and another processor may have
 * another byte order for the stored numbers.
 */
export function programId({ version, program }: Pick<Environment, 'version' | 'program'>): readonly string[] {
  return [version, stampOf(program), process.arch]
}

/** Undefined if this program did not write the file, or if a manifest has changed since. */
export function openCatalog(environment: Environment, key: string): CachedCatalog | undefined {
  const file = openSections(catalogFile(environment, key))
  if (file === undefined) return undefined
  // `openSections` has checked the checksum. `key` and `program` are compared below, so this program wrote the file.
  const head = file.head as CatalogHead
  const isOurs = head.key === key && String(head.program) === String(programId(environment))
  if (isOurs && Object.entries(head.manifests).every(([manifest, stamp]) => stampOf(manifest) === stamp)) {
    return { head, file }
  }
  file.close()
  return undefined
}

/** `--verbose` bypasses the cache, because cached answers carry no log lines. */
export function mayUseCache({ flags }: Work): boolean {
  return flags.verbose !== true
}

/** Undefined if there is no cached catalog for this folder and configuration, or if it lacks a needed server. */
export async function answerFromCache(work: Work, need: ServerNeed, use: UseCatalog): Promise<number | undefined> {
  const { environment, flags } = work
  const pointer = mayUseCache(work) ? readPointer(pointerFile(environment, flags.config)) : undefined
  if (pointer === undefined) return undefined
  if (String(pointer.conditions) !== String(cacheConditions(environment, flags.config))) return undefined
  if (!areUnchanged(pointer.inputs, environment.env)) return undefined
  const catalog = openCatalog(environment, pointer.catalog)
  return catalog === undefined ? undefined : answerFromFile(catalog, work, need, use)
}

/** Undefined if the cached catalog lacks a needed server or is damaged. Closes the file. */
export async function answerFromFile(
  { head, file }: CachedCatalog,
  work: Work,
  need: ServerNeed,
  use: UseCatalog,
): Promise<number | undefined> {
  try {
    const unreached = unreachedOf(head, work, need)
    if (unreached === undefined) return undefined
    return await use({
      ...head.served,
      unreached,
      view: async () => openView({ head, file }, work.signal),
      ruleWarnings: async () => head.ruleWarnings,
    })
  } catch (error) {
    if (error instanceof DamagedFile) return undefined
    throw error
  } finally {
    file.close()
  }
}

/** Undefined if a needed server has no cached tools and no remembered failure. */
function unreachedOf({ served, sources }: CatalogHead, { environment }: Work, need: ServerNeed): Unreached | undefined {
  const known = new Set(sources.filter(({ toolCount }) => toolCount !== undefined).map(({ id }) => id))
  const unknown = served.startable.filter(({ id }) => !known.has(id))
  if (unknown.length === 0) return new Map()
  const unreached = notStartable(unknown, environment, need.isPatient)
  return unknown.some(({ id }) => need.isNeeded(id) && !unreached.has(id)) ? undefined : unreached
}

/** The view of the cached tools. It uses the same visibility predicate and ranker as the gateway. */
function openView({ head, file }: CachedCatalog, signal: AbortSignal): SearchableCatalog {
  const { names, sources, usageFile, ranker } = head
  const known = openTools(names, file)
  const selections = createSelections<DescribedTool>(async (snapshot) => {
    const { rankers } = await import('../../search/rankers/builtins.ts')
    const storage = await rankers.get(ranker)?.storage?.()
    // A catalog is written only for a ranker that can store its index.
    if (storage === undefined) throw new DamagedFile('The cached catalog', `its ranker '${ranker}' is not known`)
    return storage.open(file, snapshot)
  })
  const learned =
    usageFile === undefined
      ? undefined
      : () => storedCounts({ get: async () => (await readEntry(usageFile, () => {}))?.value })
  const { visible } = selections.visibleIn(known, {})
  return { known, visible, sources, ...createFinder(known, {}, selections, { signal, learned }) }
}

/** Undefined if the pointer file is missing or not valid. */
function readPointer(path: string): CatalogPointer | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isPointer(read) ? read : undefined
  } catch {
    return undefined
  }
}

function locationOf({ cwd, home, configDir, stateDir, platform }: Environment, config: string | undefined): string[] {
  // `cwd` matters even with --config, because that path may be relative.
  return [cwd, home, configDir, stateDir, platform, config ?? '']
}

function isPointer(value: unknown): value is CatalogPointer {
  if (!isRecord(value) || typeof value.catalog !== 'string' || !/^[0-9a-f]+$/.test(value.catalog)) return false
  const { conditions, inputs } = value
  return Array.isArray(conditions) && isRecord(inputs) && isRecord(inputs.files) && isRecord(inputs.env)
}
