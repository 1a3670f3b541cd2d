// Chooses the store that the configuration names, and reads the key that encrypts logins in a shared store.

import { raise } from '../core/errors.ts'
import { quoteList } from '../core/text.ts'
import { readVariable } from '../core/variables.ts'
import { chooseStore } from '../storage/open-stores.ts'
import type { StorePlugin } from '../storage/store.ts'
import type { Config } from './config.ts'
import { resolveText, type Variables } from './references.ts'

/** The environment variable that takes precedence over `store` in the configuration. */
export const STORE_VARIABLE = 'TOOLCRIB_STORE'

/**
 * The store that the configuration names. Resolves `${VAR}` only here, so that no output of the configuration contains
 * a password.
 */
export function storeOf(loaded: { readonly config: Config; readonly variables: Variables }): StorePlugin {
  const { config, variables } = loaded
  const resolved = resolveText(config.store, variables)
  if (resolved.ok) return chooseStore(resolved.text, config.plugins?.stores)
  const { missing } = resolved
  return raise('INVALID_OPTIONS', {
    what: 'store',
    reason: `it refers to ${quoteList(missing)}, which ${missing.length === 1 ? 'is' : 'are'} not set`,
    todo: `Set ${quoteList(missing)}, or remove the reference from \`store\` or ${STORE_VARIABLE}.`,
  })
}

/** The environment variable with the key that encrypts logins in a store that gateways share. */
export const STORE_KEY_VARIABLE = 'TOOLCRIB_STORE_KEY'

const KEY_BYTES = 32

/** Undefined if the variable is not set. Raises if its value is not a key; the error does not contain the value. */
export function storeKey(variables: Variables): Buffer | undefined {
  const text = readVariable(variables, STORE_KEY_VARIABLE)?.trim() ?? ''
  if (text === '') return undefined
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64')
  if (key.length === KEY_BYTES) return key
  return raise('INVALID_OPTIONS', {
    what: STORE_KEY_VARIABLE,
    reason: `it is not a key of ${KEY_BYTES} bytes in base64 or hex`,
    todo: 'Make a key with `openssl rand -base64 32`, and set it on all gateways that share the store.',
  })
}
