// If the address of a new gateway is in use, finds the gateway of this user that uses it.

import { AddressInUse } from '../../core/address-in-use.ts'
import { isRecord } from '../../core/is-record.ts'
import { askGateways } from './ask-gateways.ts'

/** Adds the gateway that uses the address, if there is one, to an AddressInUse error. Keeps other errors unchanged. */
export async function withAddressUser(error: unknown, stateDir: string): Promise<unknown> {
  if (!(error instanceof AddressInUse)) return error
  const { address, cause } = error
  for (const { pid, reply } of await askGateways(stateDir, 'status', new AbortController().signal)) {
    const { http } = reply
    if (!isRecord(http) || typeof http.url !== 'string' || !usesAddress(http.url, address)) continue
    return new AddressInUse(address, { cause, user: { pid, url: `${http.url}/mcp` } })
  }
  return error
}

const ALL_HOSTS = ['0.0.0.0', '[::]']

function usesAddress(url: string, address: string): boolean {
  if (!URL.canParse(url)) return false
  const [used, wanted] = [new URL(url), new URL(`http://${address}`)]
  if (portOf(used) !== portOf(wanted)) return false
  const hosts = [used, wanted].map(({ hostname }) => (hostname === 'localhost' ? '127.0.0.1' : hostname))
  return hosts[0] === hosts[1] || hosts.some((host) => ALL_HOSTS.includes(host))
}

/** A URL leaves out the default port of its scheme. */
function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80')
}
