// The addresses and the token that `serve --http`, `wrap --http` and `inspector` print for people.

import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { AddressOptions } from '../../config/http-settings.ts'
import { publicHostIn } from '../../front/address.ts'
import type { Environment } from '../../setup/environment.ts'
import { oneLine, shortPath } from '../output/text.ts'

/** The host of a server that listens on all addresses, with its port. A client on another machine cannot use it. */
const ALL_ADDRESSES = /\/\/(?:0\.0\.0\.0|\[::\])(:\d+)?(?=\/|$)/

/** The page at this address of a gateway, without a token. */
export function inspectorPage(url: string): string {
  return `${url.replace(ALL_ADDRESSES, '//127.0.0.1$1')}/`
}

/** A browser does not send the part after `#` to the server. */
export function withToken(page: string, token: string | null | undefined): string {
  return token == null ? page : `${page}#token=${token}`
}

/**
 * The address for a client, perhaps on another machine. Behind a proxy, it has the first public name in `allowedHosts`,
 * with https. If the server listens on all addresses, it has that name, or else the name of this machine.
 */
export function clientAddress(url: string, http: AddressOptions = {}): string {
  const publicName = publicNameIn(http)
  if (isBehindProxy(http) && publicName !== undefined) return `https://${publicName}${new URL(url).pathname}`
  return url.replace(ALL_ADDRESSES, (_, port: string | undefined = '') => {
    const name = publicName ?? hostname()
    return /:\d+$/.test(name) ? `//${name}` : `//${name}${port}`
  })
}

/** The line about the address for clients of a server behind a proxy. */
export function proxyLines(http: AddressOptions): readonly string[] {
  if (!isBehindProxy(http)) return []
  return [
    publicNameIn(http) === undefined
      ? 'Clients connect through the proxy of http.trustProxy: write the address of the proxy into the lines below'
      : 'Clients connect through the proxy of http.trustProxy, to the first public name in http.allowedHosts',
  ]
}

function isBehindProxy({ trustProxy = false }: AddressOptions): boolean {
  return trustProxy !== false
}

/** The first public name in `allowedHosts` that has no wildcard. */
function publicNameIn({ allowedHosts = [] }: AddressOptions): string | undefined {
  return publicHostIn({ allowedHosts: allowedHosts.filter((host) => !host.startsWith('*.')) })
}

interface ShownToken {
  /** Null if there is none, or if it must not be printed. */
  readonly token: string | null
  /** The file with a token that is not printed. */
  readonly tokenFile?: string
}

/** Output that is not a terminal is usually kept in a log, and a token must not be in a log. */
export function shownToken(
  token: string | undefined,
  isTerminal: boolean,
  { stateDir }: Pick<Environment, 'stateDir'>,
): ShownToken {
  if (token === undefined) return { token: null }
  if (isTerminal) return { token }
  const file = join(stateDir, 'token')
  return { token: null, ...(isTokenIn(file, token) ? { tokenFile: file } : {}) }
}

/** False for a token of this run only: its gateway could not use the file, which may still have another token. */
function isTokenIn(file: string, token: string): boolean {
  try {
    return readFileSync(file, 'utf8').trim() === token
  } catch {
    return false
  }
}

/** The line about a token that is not printed. */
export function tokenLines({ tokenFile }: ShownToken, home: string): readonly string[] {
  if (tokenFile === undefined) return []
  return [`The token is in ${oneLine(shortPath(tokenFile, home))}; it is printed only on a terminal`]
}
