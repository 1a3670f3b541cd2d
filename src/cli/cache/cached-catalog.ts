// Answers a command from the cached catalog: a file with the tools of all configured servers and their index.

import { join } from 'node:path'
import { openTools } from '../../catalog/saved-tools.ts'
import { fingerprint } from '../../core/hash.ts'
import type { CommandError } from '../../core/result.ts'
import type { DescribedTool } from '../../core/tool.ts'
import { createFinder, createSelections } from '../../crib/selections.ts'
import { storedCounts } from '../../crib/usage.ts'
import type { SearchableCatalog, SourceView } from '../../disclosure/view.ts'
import type { Environment } from '../../setup/environment.ts'
import { entryValue } from '../../storage/entry-file.ts'
import { stampOf } from '../../storage/file-stamp.ts'
import { DamagedFile, openSections, type SectionFile } from '../../storage/section-file.ts'
import type { ServedConfig } from '../gateway/served-config.ts'
import type { ServerNeed } from '../gateway/session.ts'
import { notStartable, type Unreached } from '../gateway/unreachable.ts'
import type { ConfigWarning } from '../output/notes.ts'
import type { Work } from '../output/work.ts'
import { areUnchanged, type ConfigInputs } from './config-inputs.ts'

/** The catalog as `list`, `search` and `tools` read it: from the file of an earlier command, or from a session. */
export interface CatalogReader extends ServedConfig {
  view(): Promise<SearchableCatalog>
  /** The servers with unknown tools that could not be started, with the reasons. */
  readonly unreached: Unreached
  ruleWarnings(): Promise<readonly ConfigWarning[]>
}

export interface ExplainedCatalog extends CatalogReader {
  /** Adds to SERVER_NOT_FOUND what to type if the server is disabled or in another config. */
  explain(error: CommandError, server: string): Promise<CommandError>
}

type UseCatalog = (catalog: ExplainedCatalog) => Promise<number>
export type UseReader = (catalog: CatalogReader) => Promise<number>

/** `use` must print nothing before it has its answer, because it runs again if the cached catalog is damaged. */
export type WithCatalog = (work: Work, need: ServerNeed, use: UseCatalog) => Promise<number>

/** The head of the file. Its sections are the tools and the index. */
export interface CatalogHead {
  /** See `programId`. */
  readonly program: string
  /** The stamps of the files with manifests and pins, by path, taken before the files were read. */
  readonly stamps: Readonly<Record<string, string>>
  /** The path of the call counts that improve searches; absent if `discovery.search.learn` is off. */
  readonly usage?: string
  /** The name of the ranker that built the index. */
  readonly ranker: string
  readonly served: ServedConfig
  readonly sources: readonly SourceView[]
  /** Stored, because comparing the rules with all tools takes longer than the rest of the answer. */
  readonly ruleWarnings: readonly ConfigWarning[]
}

/** The head of a small file without sections. It names the catalog for a folder and its configuration. */
export interface CatalogPointer {
  /** See `cacheConditions`. */
  readonly conditions: string
  readonly inputs: ConfigInputs
  /** The key of the catalog. */
  readonly catalog: string
}

export function catalogFile({ cacheDir }: Environment, key: string): string {
  return join(cacheDir, 'known', `${key}.catalog`)
}

export function pointerFile(environment: Environment, config: string | undefined): string {
  const name = fingerprint(JSON.stringify(locationOf(environment, config)))
  return join(environment.cacheDir, 'known', `${name}.pointer`)
}

/** The conditions of a cached answer besides the content of files and variables: the program, the folders, --config. */
export function cacheConditions(environment: Environment, config: string | undefined): string {
  return JSON.stringify([programId(environment), ...locationOf(environment, config)])
}

/**
 * Identifies the build and the processor: another build may read and rank differently, and another processor may have
 * another byte order for the stored numbers.
 */
export function programId({ version, program }: Environment): string {
  return [version, stampOf(program), process.arch].join(' ')
}

/** `--verbose` bypasses the cache, because cached answers carry no log lines. */
export function mayUseCache({ flags }: Work): boolean {
  return flags.verbose !== true
}

/**
 * Returns undefined if the cache lacks a valid catalog for this folder and configuration, or if the catalog lacks a
 * needed server.
 */
export async function answerFromCache(work: Work, need: ServerNeed, use: UseReader): Promise<number | undefined> {
  const { environment, flags } = work
  const pointer = mayUseCache(work) ? readPointer(environment, flags.config) : undefined
  if (pointer === undefined || !areUnchanged(pointer.inputs, environment.env)) return undefined
  return answerFromCatalog(pointer.catalog, work, need, use)
}

/** Returns undefined if the cache lacks a valid catalog with this key, or the catalog lacks a needed server. */
export async function answerFromCatalog(
  key: string,
  work: Work,
  need: ServerNeed,
  use: UseReader,
): Promise<number | undefined> {
  const file = openSections(catalogFile(work.environment, key))
  if (file === undefined) return undefined
  try {
    // The checksum is right, so some version of this program wrote it. `program` names the version.
    const head = file.head as CatalogHead
    const unreached = isValid(head, work.environment) ? unreachedOf(head, work, need) : undefined
    if (unreached === undefined) return undefined
    return await use({
      ...head.served,
      unreached,
      view: async () => openView(head, file, work.signal),
      ruleWarnings: async () => head.ruleWarnings,
    })
  } catch (error) {
    if (error instanceof DamagedFile) return undefined
    throw error
  } finally {
    file.close()
  }
}

/** Undefined if the pointer is missing, damaged or written under other conditions. */
function readPointer(environment: Environment, config: string | undefined): CatalogPointer | undefined {
  const file = openSections(pointerFile(environment, config))
  file?.close()
  // The checksum is right, so some version of this program wrote it. `conditions` names the version.
  const pointer = file?.head as CatalogPointer | undefined
  return pointer?.conditions === cacheConditions(environment, config) ? pointer : undefined
}

/** False after a change of the program, of a manifest or of pins. */
function isValid({ program, stamps }: CatalogHead, environment: Environment): boolean {
  if (program !== programId(environment)) return false
  return Object.entries(stamps).every(([path, stamp]) => stampOf(path) === stamp)
}

/** Undefined if a needed server has no cached tools and a command would start it. */
function unreachedOf({ served, sources }: CatalogHead, { environment }: Work, need: ServerNeed): Unreached | undefined {
  const known = new Set(sources.filter(({ toolCount }) => toolCount !== undefined).map(({ id }) => id))
  const unknown = served.startable.filter(({ id }) => !known.has(id))
  if (unknown.length === 0) return new Map()
  const unreached = notStartable(unknown, environment, need.isPatient)
  return unknown.some(({ id }) => need.isNeeded(id) && !unreached.has(id)) ? undefined : unreached
}

/** The view of the cached tools. It uses the same visibility predicate and ranker as the gateway. */
function openView({ sources, usage, ranker }: CatalogHead, file: SectionFile, signal: AbortSignal): SearchableCatalog {
  const known = openTools(file)
  const selections = createSelections<DescribedTool>(async (snapshot) => {
    const { rankers } = await import('../../search/rankers/builtins.ts')
    const storage = await rankers.get(ranker)?.storage?.()
    // A catalog is written only for a ranker that can store its index.
    if (storage === undefined) throw new DamagedFile('The cached catalog', `its ranker '${ranker}' is not known`)
    return storage.open(file, snapshot)
  })
  const learned = usage === undefined ? undefined : () => storedCounts({ get: () => entryValue(usage) })
  const { visible } = selections.visibleIn(known, {})
  return { known, visible, sources, ...createFinder(known, {}, selections, { signal, learned }) }
}

function locationOf({ cwd, home, configDir, stateDir, platform }: Environment, config: string | undefined): string[] {
  // `cwd` matters even with --config, because that path may be relative.
  return [cwd, home, configDir, stateDir, platform, config ?? '']
}
