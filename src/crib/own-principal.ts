// Recognizes the user of this machine as an HTTP client, in a gateway without named clients.

import type { Config } from '../config/config.ts'
import type { Caller } from '../core/call.ts'

/** The principal of the token that is generated if the configuration has none. */
export const OWN_PRINCIPAL = 'user'
/** The principal over HTTP if no token is needed. */
const NO_PRINCIPAL = 'anonymous'

/** False if clients have names of their own, because several people may then share the gateway. */
export function isOnlyUser({ principal }: Pick<Caller, 'principal'>, { http }: Pick<Config, 'http'>): boolean {
  if (Object.keys(http.tokens).length > 0 || http.oauth !== undefined) return false
  return principal === OWN_PRINCIPAL || principal === NO_PRINCIPAL
}
