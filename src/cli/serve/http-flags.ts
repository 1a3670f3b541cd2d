// Flags that say something about an address mean nothing without one.

import { raise } from '../../core/errors.ts'

export interface HttpFlags {
  readonly http: boolean
  readonly host?: string
  readonly port?: string
  /** False with --no-auth. */
  readonly auth: boolean
  readonly json?: boolean
}

/** Refuses those that would be ignored over stdio: whoever gave them waits at an address that nobody listens on. */
export function checkHttpFlags({ http, host, port, auth, json }: HttpFlags, command: string): void {
  if (http) return
  const refuse = (reason: string) => raise('INVALID_ARGUMENTS', { reason, command })
  if (json === true) refuse('--json has nothing to print over stdio, where stdout belongs to the protocol; add --http')
  const given = { '--host': host !== undefined, '--port': port !== undefined, '--no-auth': !auth }
  const [flag] = Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [name] : []))
  if (flag !== undefined) refuse(`${flag} is for an address, and without --http there is none; add --http`)
}
