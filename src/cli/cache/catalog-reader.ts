// The catalog as `list`, `search` and `tools` read it: from the file of an earlier command, or from the gateway.

import type { SearchableCatalog } from '../../disclosure/searchable-catalog.ts'
import type { ServerNeed } from '../gateway/ready-session.ts'
import type { ServedConfig } from '../gateway/served-config.ts'
import type { Unreached } from '../gateway/unreachable.ts'
import type { Work } from '../output/work.ts'

export interface CatalogReader extends ServedConfig {
  view(): Promise<SearchableCatalog>
  /** The servers that have no cached tools and could not be started, with the reasons. */
  readonly unreached: Unreached
  ruleWarnings(): Promise<readonly string[]>
}

export type UseCatalog = (catalog: CatalogReader) => Promise<number>

/** `use` must print nothing before it has its answer, because it runs again if the cached catalog is damaged. */
export type WithCatalog = (work: Work, need: ServerNeed, use: UseCatalog) => Promise<number>
