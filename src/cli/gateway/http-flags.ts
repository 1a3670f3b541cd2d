// Checks flags that need --http.

import { raise } from '../../core/errors.ts'

export interface HttpFlags {
  readonly http: boolean
  readonly host?: string
  readonly port?: string
  /** False with --no-auth. */
  readonly auth: boolean
  readonly json?: boolean
}

/** Refuses flags that stdio would ignore, because the user would then wait for an address that does not exist. */
export function checkHttpFlags({ http, host, port, auth, json }: HttpFlags, command: string): void {
  if (http) return
  const refuse = (reason: string) => raise('INVALID_ARGUMENTS', { reason, command })
  if (json === true) refuse('--json prints nothing over stdio, because stdout carries the protocol; add --http')
  const given = { '--host': host !== undefined, '--port': port !== undefined, '--no-auth': !auth }
  const [flag] = Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [name] : []))
  if (flag !== undefined) refuse(`${flag} has no effect without --http; add --http`)
}
