// The store that a configuration names, with the values of its references: an address can contain a password.

import { raise } from '../core/errors.ts'
import { quoteList } from '../core/text.ts'
import type { Config } from './config.ts'
import { resolveText, type Variables } from './references.ts'

/** Takes precedence over `store` in the configuration. */
export const STORE_VARIABLE = 'TOOLCRIB_STORE'

/** Resolves `${VAR}` at the start only, so that no output of the configuration contains the password. */
export function storeSetting({
  config,
  variables,
}: {
  readonly config: Config
  readonly variables: Variables
}): string {
  const resolved = resolveText(config.store, variables)
  if (resolved.ok) return resolved.text
  const { missing } = resolved
  return raise('INVALID_OPTIONS', {
    what: 'store',
    reason: `it refers to ${quoteList(missing)}, which ${missing.length === 1 ? 'is' : 'are'} not set`,
    todo: `Set ${quoteList(missing)}, or remove the reference from \`store\`.`,
  })
}
