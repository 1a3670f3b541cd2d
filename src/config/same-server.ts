// Decides whether two entries start the same server.

import { isDeepStrictEqual } from 'node:util'
import { mapTexts } from './connection-kinds.ts'
import { resolveText, type Variables } from './references.ts'
import type { Connection, ServerConfig } from './server-config.ts'

/**
 * Compares the connections without `inheritEnv` and `allowEnv`: a client cannot write these, and the entry of our
 * config replaces the client's.
 * A reference equals a literal only if `variables` has exactly that value for it.
 */
export function isSameServer(
  { connection: one }: Pick<ServerConfig, 'connection'>,
  { connection: other }: Pick<ServerConfig, 'connection'>,
  variables: Variables,
): boolean {
  return isDeepStrictEqual(comparable(one, variables), comparable(other, variables))
}

/** The prefixes `=` and `?` distinguish resolved texts from texts with a reference that cannot be resolved. */
function comparable(connection: Connection, variables: Variables): unknown {
  const mapped = mapTexts(connection, (text) => {
    const resolved = resolveText(text, variables)
    return resolved.ok ? `=${resolved.text}` : `?${text}`
  })
  return { ...mapped, inheritEnv: undefined, allowEnv: undefined }
}
