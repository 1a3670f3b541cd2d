// Checks the flags of the commands that can serve over HTTP.

import { raise } from '../../core/errors.ts'
import type { OutputFlags } from '../output/output.ts'

export interface HttpFlags extends OutputFlags {
  readonly http: boolean
  readonly host?: string
  readonly port?: string
  /** False with --no-auth. */
  readonly auth: boolean
  /** True: join the shared gateway. False: serve alone. Undefined: the configuration decides. */
  readonly shared?: boolean
  /** The name of the client. */
  readonly client?: string
}

/** Refuses flags that would have no effect. For example, --port alone would start a gateway over stdio, without an address. */
export function checkHttpFlags(flags: HttpFlags, command: string): void {
  const { http, host, port, auth, json, shared, client } = flags
  const refuse = (reason: string) => raise('INVALID_ARGUMENTS', { reason, command })
  if (http) {
    if (shared === true) refuse('--shared is for stdio; over HTTP all clients share the gateway already')
    if (client !== undefined) refuse('--client is for stdio; over HTTP the token of a client gives its name')
    return
  }
  if (json === true) refuse('--json prints nothing over stdio, because stdout carries the protocol; add --http')
  const given = { '--host': host !== undefined, '--port': port !== undefined, '--no-auth': !auth }
  const [flag] = Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [name] : []))
  if (flag !== undefined) refuse(`${flag} has no effect without --http; add --http`)
}

/** Parses the value of --port. Undefined if it is not given. */
export function portFrom(text: string | undefined, command: string): number | undefined {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text)
  return raise('INVALID_ARGUMENTS', {
    reason: `--port takes a number from 0 (any free port) to 65535, not '${text}'`,
    command,
  })
}
