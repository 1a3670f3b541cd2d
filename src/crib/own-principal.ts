// The principals without a named token: the user of this machine, clients without a token, and company logins.

import type { Config } from '../config/config.ts'
import type { Caller } from '../core/call.ts'

/** The principal of the token that is generated if the configuration has none. */
export const OWN_PRINCIPAL = 'user'
/** The principal over HTTP if no token is needed. */
const NO_PRINCIPAL = 'anonymous'
/** The start of the principals with a company login. */
export const COMPANY_PREFIX = 'oauth:'

/** False if clients have names of their own, because several people may then share the gateway. */
export function isOnlyUser({ principal }: Pick<Caller, 'principal'>, { http }: Pick<Config, 'http'>): boolean {
  if (Object.keys(http.tokens).length > 0 || http.oauth !== undefined) return false
  return principal === OWN_PRINCIPAL || principal === NO_PRINCIPAL
}

/**
 * Why a token cannot have this name. Undefined if it can. With such a name, the owner of the token would be the same
 * person as another client: the user of this machine, clients without a token, or a person with a company login.
 */
export function reservedName(name: string): string | undefined {
  if (name === OWN_PRINCIPAL) return `'${name}' is the name of the token that the gateway makes itself`
  if (name === NO_PRINCIPAL) return `'${name}' is the name of clients without a token`
  return name.startsWith(COMPANY_PREFIX)
    ? `names that start with '${COMPANY_PREFIX}' are those of company logins`
    : undefined
}
