// Builds the addresses that the commands print for people: the page of the inspector, and the address for clients.

import { hostname } from 'node:os'
import { publicHostIn } from '../../front/address.ts'

/** The host of a server that listens on all addresses, with its port. Other machines cannot connect to it. */
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
 * The address for a client, perhaps on another machine. If the server listens on all addresses, the address has the
 * first public name in `allowedHosts`, or else the name of this machine.
 */
export function clientAddress(url: string, allowedHosts: readonly string[] = []): string {
  return url.replace(ALL_ADDRESSES, (_, port: string | undefined = '') => {
    const name = publicHostIn({ allowedHosts: allowedHosts.filter((host) => !host.startsWith('*.')) }) ?? hostname()
    return /:\d+$/.test(name) ? `//${name}` : `//${name}${port}`
  })
}
