// Opens a cached catalog as a view: with the same visibility predicate and ranker as in the gateway.

import { openTools } from '../../catalog/saved-tools.ts'
import type { DescribedTool } from '../../core/tool.ts'
import { createFinder, type FinderOptions } from '../../crib/finder.ts'
import { createSelections } from '../../crib/selections.ts'
import type { SearchableCatalog } from '../../disclosure/searchable-catalog.ts'
import type { CatalogFile } from './catalog-file.ts'

export function openCachedView({ head, file }: CatalogFile, options: FinderOptions): SearchableCatalog {
  const known = openTools(head.names, file)
  // Throws `DamagedFile` if the catalog was written without an index, and the search then runs in the gateway.
  const selections = createSelections<DescribedTool>(async (snapshot) => {
    const { openSavedIndex } = await import('../../search/bm25f/open-saved-index.ts')
    return openSavedIndex(file, snapshot)
  })
  const { visible } = selections.visibleIn(known, {})
  return {
    known,
    visible,
    get sources() {
      return head.servers.map(({ id, info, isUnknown }) => {
        return { ...info, id, ...(isUnknown ? {} : { toolCount: selections.countOf(visible, id) }) }
      })
    },
    ...createFinder(known, {}, selections, options),
  }
}
