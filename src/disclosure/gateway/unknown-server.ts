// The error for an unknown server, with similar names.

import { fail } from '../../core/errors.ts'
import { findSimilarTools } from '../../core/similarity.ts'
import type { Shelves } from '../shelves.ts'

export function unknownServer(server: string, { sources }: Pick<Shelves, 'sources'>) {
  const names = sources.map(({ id }) => id)
  const similar = findSimilarTools(server, names)
  return fail(
    'SERVER_NOT_FOUND',
    { server, similar, list: 'list_mcp_servers' },
    similar.length === 0 ? {} : { details: { similar } },
  )
}
