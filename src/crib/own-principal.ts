// The HTTP principals without a named token: the user of this machine, clients without a token, and company logins.

import type { Config } from '../config/config.ts'
import type { Caller } from '../core/call.ts'

/** The principal of the token that is generated if the configuration has no tokens. */
export const OWN_PRINCIPAL = 'user'
/** The principal over HTTP if no token is needed. */
export const ANONYMOUS = 'anonymous'
/** The principals of people with a company login start with this. */
export const COMPANY_PREFIX = 'oauth:'

/**
 * Whether this HTTP client is the only user of the gateway. False if the configuration has tokens or company logins,
 * because several people may then share the gateway.
 */
export function isOnlyUser({ principal }: Pick<Caller, 'principal'>, { http }: Pick<Config, 'http'>): boolean {
  if (Object.keys(http.tokens).length > 0 || http.oauth !== undefined) return false
  return principal === OWN_PRINCIPAL || principal === ANONYMOUS
}

/**
 * Returns the reason why a token cannot have this name, or undefined if it can. A token with a reserved name would have
 * the same principal as another client: the user of this machine, a client without a token, or a person with a company
 * login.
 */
export function reservedName(name: string): string | undefined {
  if (name === OWN_PRINCIPAL) return `'${name}' is the name of the token that the gateway makes itself`
  if (name === ANONYMOUS) return `'${name}' is the name of clients without a token`
  return name.startsWith(COMPANY_PREFIX)
    ? `names that start with '${COMPANY_PREFIX}' are those of company logins`
    : undefined
}
