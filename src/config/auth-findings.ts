// Checks the login settings of a server: which of them need each other, and whether addresses are safe.

import type { ConfigFinding } from './problem.ts'
import { hasReferences } from './references.ts'
import type { HttpAuth } from './server-config.ts'

/** Returns each problem with the key that it is about. */
export function authFindings(auth: HttpAuth): readonly (readonly [keyof HttpAuth, ConfigFinding])[] {
  const { grant, clientId, clientSecret, clientMetadataUrl, issuer } = auth
  const found: (readonly [keyof HttpAuth, ConfigFinding])[] = []
  const missing = (key: keyof HttpAuth, expected: string) => found.push([key, { expected, found: 'nothing' }])
  if (clientSecret !== undefined && clientId === undefined)
    missing('clientId', "the id of the client of 'clientSecret'")
  if (grant === 'client_credentials') {
    if (clientId === undefined && clientSecret === undefined) missing('clientId', 'the id of the client')
    if (clientSecret === undefined) missing('clientSecret', 'the secret of the client')
    // Without an issuer the MCP server itself chooses who gets the secret, and no user sees the address.
    if (issuer === undefined) missing('issuer', 'the authorization server that may get the secret')
  }
  if (issuer !== undefined && !isSafe(issuer)) found.push(['issuer', { expected: HTTPS, found: 'another text' }])
  if (clientMetadataUrl !== undefined && !isDocument(clientMetadataUrl)) {
    found.push(['clientMetadataUrl', { expected: 'an https address with a path', found: 'another text' }])
  }
  if (clientMetadataUrl !== undefined && clientId !== undefined) {
    found.push(['clientMetadataUrl', { expected: "either 'clientId' or 'clientMetadataUrl'", found: 'both' }])
  }
  return found
}

const HTTPS = 'an https address'

function isSafe(text: string): boolean {
  if (hasReferences(text)) return true
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname))
}

/** The address is the id of the client, so the protocol requires https and a path. */
function isDocument(text: string): boolean {
  if (hasReferences(text)) return true
  return URL.canParse(text) && new URL(text).protocol === 'https:' && new URL(text).pathname !== '/'
}
