// The error for an unknown server, with similar names.

import { fail } from '../../../core/errors.ts'
import { findSimilarTools } from '../../../core/similarity.ts'
import type { SearchableCatalog } from '../../searchable-catalog.ts'

export function unknownServer(server: string, { sources }: Pick<SearchableCatalog, 'sources'>) {
  const names = sources.map(({ id }) => id)
  const similar = findSimilarTools(server, names)
  return fail(
    'SERVER_NOT_FOUND',
    { server, similar, list: 'list_mcp_servers' },
    similar.length === 0 ? {} : { details: { similar } },
  )
}
