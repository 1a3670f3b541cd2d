// The values of a login that must never appear in a text.

import type { Optional } from '../../../core/call.ts'
import type { Login } from './login-store.ts'

export function secretsOfLogin({ tokens, client }: Optional<Pick<Login, 'tokens' | 'client'>>): readonly string[] {
  const registered: Readonly<Record<string, unknown>> = { ...client }
  const values: readonly unknown[] = [
    tokens?.access_token,
    tokens?.refresh_token,
    tokens?.id_token,
    client?.client_secret,
    registered.registration_access_token,
  ]
  return values.filter((value): value is string => typeof value === 'string' && value !== '')
}
