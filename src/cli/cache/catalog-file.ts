// The cached catalog: the tools of all configured servers in one file, with the manifests that it was made from.

import { type SavedNames, saveTools } from '../../catalog/saved-tools.ts'
import type { DescribedTool } from '../../core/tool.ts'
import type { SourceInfo } from '../../sources/source.ts'
import { stampOf } from '../../storage/file-stamp.ts'
import { encodeSections, openSections, type SectionFile, type Sections } from '../../storage/section-file.ts'
import type { ServingNote } from '../gateway/serving-notes.ts'
import type { Startable } from '../gateway/startable.ts'

export interface CachedServer extends Startable {
  readonly info: SourceInfo
  /** The server was never started, so its tools are unknown. */
  readonly isUnknown: boolean
}

export interface CatalogHead {
  readonly key: string
  /** Identifies the program that wrote the file, see `programId`. */
  readonly program: readonly string[]
  /** The stamp of each manifest, taken before it was read. */
  readonly manifests: Readonly<Record<string, string>>
  readonly servers: readonly CachedServer[]
  readonly switchedOff: readonly string[]
  /** Warnings about the rules. Cached, because comparing the rules with all tools takes longer than the answer. */
  readonly ruleWarnings: readonly string[]
  /** False if the ranker's index cannot be saved. Searches then run in the gateway. */
  readonly hasIndex: boolean
  readonly notes: readonly ServingNote[]
  /** The note about config files of the folder that are not used. */
  readonly note?: string
  /** The file with the call counts that improve searches; absent if `discovery.search.learn` is off. */
  readonly usageFile?: string
  readonly names: SavedNames
}

export interface CatalogFile {
  readonly head: CatalogHead
  readonly file: SectionFile
}

export function encodeCatalog(
  head: Omit<CatalogHead, 'names'>,
  tools: readonly DescribedTool[],
  index: Sections,
): Uint8Array {
  const { names, sections } = saveTools(tools)
  return encodeSections({ ...head, names }, { ...sections, ...index })
}

/** Undefined if this program did not write the file, or if a manifest has changed since. */
export function openCatalog(path: string, key: string, program: readonly string[]): CatalogFile | undefined {
  const file = openSections(path)
  if (file === undefined) return undefined
  // `openSections` has checked the checksum; `key` and `program` show that this program wrote it.
  const head = file.head as CatalogHead
  const isOurs = head.key === key && String(head.program) === String(program)
  if (isOurs && Object.entries(head.manifests).every(([manifest, stamp]) => stampOf(manifest) === stamp)) {
    return { head, file }
  }
  file.close()
  return undefined
}
