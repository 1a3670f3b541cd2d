// What is known of all configured servers, in one file: which manifests it was made of, and whether they still stand.

import { type SavedNames, saveTools } from '../../catalog/saved-tools.ts'
import type { DescribedTool } from '../../core/tool.ts'
import type { SourceInfo } from '../../sources/source.ts'
import { stampOf } from '../../storage/file-stamp.ts'
import { encodeSections, openSections, type SectionFile, type Sections } from '../../storage/section-file.ts'
import type { ServingNote } from '../serving-notes.ts'
import type { Startable } from '../startable.ts'

export interface KnownServer extends Startable {
  readonly info: SourceInfo
  /** Nothing is known of it without asking it. */
  readonly isUnknown: boolean
}

export interface CatalogHead {
  readonly key: string
  /** The program that wrote it. */
  readonly maker: readonly string[]
  /** The stamp of each manifest before it was read. */
  readonly manifests: Readonly<Record<string, string>>
  readonly servers: readonly KnownServer[]
  readonly switchedOff: readonly string[]
  /** Warnings about the rules. They are kept, because comparing the rules with all tools takes longer than the answer. */
  readonly remarks: readonly string[]
  readonly notes: readonly ServingNote[]
  /** About files of the folder that are not used. */
  readonly note?: string
  /** Where the calls are counted that searches learn from; absent where they do not. */
  readonly learnsFrom?: string
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

/** Undefined where there is none that this program wrote, or where a manifest is no longer what it was. */
export function openCatalog(path: string, key: string, maker: readonly string[]): CatalogFile | undefined {
  const file = openSections(path)
  if (file === undefined) return undefined
  // Undamaged, as the file itself says, and the first two fields tell whether this program wrote it.
  const head = file.head as CatalogHead
  const isOurs = head.key === key && String(head.maker) === String(maker)
  if (isOurs && Object.entries(head.manifests).every(([manifest, stamp]) => stampOf(manifest) === stamp)) {
    return { head, file }
  }
  file.close()
  return undefined
}
