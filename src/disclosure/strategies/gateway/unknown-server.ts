// The error for a request that names an unknown server. It suggests similar names.

import { fail } from '../../../core/errors.ts'
import type { FailureResult } from '../../../core/result.ts'
import { findSimilarTools, similarDetails } from '../../../core/similarity.ts'
import type { SearchableCatalog } from '../../view.ts'

export interface UnknownServer {
  readonly kind: 'unknown-server'
  readonly server: string
  readonly similar: readonly string[]
}

export function unknownServer(server: string, { sources }: Pick<SearchableCatalog, 'sources'>): UnknownServer {
  const names = sources.map(({ id }) => id)
  return { kind: 'unknown-server', server, similar: findSimilarTools(server, names) }
}

/** `list` names the tool or the command that lists the servers. */
export function refuseServer({ server, similar }: UnknownServer, list: string): FailureResult {
  return fail('SERVER_NOT_FOUND', { server, similar, list }, similarDetails(similar))
}
