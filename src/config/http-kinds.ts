// The connection kinds with an address: `http` is Streamable HTTP, `sse` is the older transport.

import { defined } from '../core/defined.ts'
import { isLoopback } from '../core/is-loopback.ts'
import type { ChangeText, ConnectionKind, EntryReader, HttpAuth, Remote } from './connection-kind.ts'
import { type ConfigFinding, shapeOf } from './problem.ts'
import { hasReferences } from './references.ts'

export interface HttpConnection extends Remote {
  /** `http` is Streamable HTTP, `sse` is the older transport. */
  readonly type: 'http' | 'sse'
}

export const httpKind = remoteKind('http', {
  words: ['http', 'streamablehttp', 'remote'],
  isMeant: () => true,
  // The modern era is better over HTTP: it has no session to lose.
  handshakes: ['discover', 'initialize'],
  firstMethod: 'POST',
})

export const sseKind = remoteKind('sse', {
  words: ['sse'],
  /** The usual path of this transport. */
  isMeant: (url) => /\/sse\/?(?:[?#]|$)/.test(url),
  // The modern era does not have this transport.
  handshakes: ['initialize'],
  firstMethod: 'GET',
  flagText: 'the server uses the older HTTP+SSE transport',
})

function remoteKind(
  type: HttpConnection['type'],
  own: Pick<ConnectionKind<HttpConnection>, 'words' | 'isMeant' | 'handshakes' | 'firstMethod' | 'flagText'>,
): ConnectionKind<HttpConnection> {
  return {
    ...own,
    field: 'url',
    fieldText: 'an address',
    targetLabel: 'Address',
    advice: {
      configured: 'Check its address and its credentials, and that this machine can reach it.',
      wrapped: 'check its address, and whether an MCP server answers there',
    },
    // An open connection costs little, and there is nothing to stop.
    idleMs: 0,
    isProcess: false,
    build(fields, reader) {
      const url = reader.translate(fields.url ?? '', 'url')
      if (!isWebAddress(url)) reader.report('url', { expected: 'an http or https address', found: shapeOf(fields.url) })
      const auth = fields.auth === undefined ? undefined : readAuth(fields.auth, reader)
      return defined({ type, url, headers: reader.translateValues('headers'), auth })
    },
    entry: ({ url, headers, auth }) =>
      defined({ type, url, headers: Object.keys(headers).length === 0 ? undefined : headers, auth }),
    mapTexts(connection, change) {
      const { url, headers, auth } = connection
      return {
        ...connection,
        url: change(url, { field: ['url'], role: 'url' }),
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, text]) => [
            name,
            change(text, { field: ['headers', name], role: 'header' }),
          ]),
        ),
        ...(auth === undefined ? {} : { auth: mapAuth(auth, change) }),
      }
    },
    values: ({ headers }) => headers,
    summarize({ url, headers, auth }) {
      const names = Object.keys(headers)
      const login = auth?.grant === 'client_credentials' ? 'logs in by itself' : 'login'
      const notes = [
        ...(names.length === 0 ? [] : [`headers: ${names.join(', ')}`]),
        ...(auth === undefined ? [] : [auth.clientId === undefined ? login : `${login} as client ${auth.clientId}`]),
      ]
      return { target: url, notes }
    },
    stableTarget: ({ url }) => url.replace(/[?#].*$/, ''),
  }
}

function readAuth(given: HttpAuth, { report, translate }: EntryReader): HttpAuth {
  const auth = mapAuth(given, (text) => translate(text, 'auth'))
  for (const [key, finding] of authFindings(auth)) report('auth', finding, key)
  return auth
}

/** Changes every text of the login settings. */
function mapAuth(auth: HttpAuth, change: ChangeText): HttpAuth {
  const { clientId, clientSecret, clientMetadataUrl, scopes, issuer } = auth
  const changeSetting = (key: keyof HttpAuth, text: string | undefined) =>
    text === undefined ? undefined : change(text, { field: ['auth', key], role: 'setting' })
  return defined({
    ...auth,
    clientId: changeSetting('clientId', clientId),
    clientSecret: clientSecret && change(clientSecret, { field: ['auth', 'clientSecret'], role: 'value' }),
    clientMetadataUrl: changeSetting('clientMetadataUrl', clientMetadataUrl),
    scopes: scopes?.map((text, at) => change(text, { field: ['auth', 'scopes', at], role: 'setting' })),
    issuer: changeSetting('issuer', issuer),
  })
}

function isWebAddress(url: string): boolean {
  // The value of a reference is not known yet.
  if (hasReferences(url)) return true
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

/** Returns the problems of login settings, each with its key. */
function authFindings(auth: HttpAuth): readonly (readonly [keyof HttpAuth, ConfigFinding])[] {
  const { grant, clientId, clientSecret, clientMetadataUrl, issuer } = auth
  const found: (readonly [keyof HttpAuth, ConfigFinding])[] = []
  const missing = (key: keyof HttpAuth, expected: string) => found.push([key, { expected, found: 'nothing' }])
  if (clientSecret !== undefined && clientId === undefined)
    missing('clientId', "the id of the client that 'clientSecret' belongs to")
  if (grant === 'client_credentials') {
    if (clientId === undefined && clientSecret === undefined) missing('clientId', 'the id of the client')
    if (clientSecret === undefined) missing('clientSecret', 'the secret of the client')
    // Without an issuer, the MCP server itself chooses which authorization server gets the secret.
    if (issuer === undefined) missing('issuer', 'the authorization server that may get the secret')
  }
  if (issuer !== undefined && !isHttpsOrLoopback(issuer))
    found.push(['issuer', { expected: HTTPS, found: shapeOf(issuer) }])
  if (clientMetadataUrl !== undefined && !isMetadataUrl(clientMetadataUrl)) {
    found.push(['clientMetadataUrl', { expected: 'an https address with a path', found: shapeOf(clientMetadataUrl) }])
  }
  if (clientMetadataUrl !== undefined && clientId !== undefined) {
    found.push(['clientMetadataUrl', { expected: "either 'clientId' or 'clientMetadataUrl'", found: 'both' }])
  }
  return found
}

const HTTPS = 'an https address'

function isHttpsOrLoopback(text: string): boolean {
  if (hasReferences(text)) return true
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/** The address is the id of the client, so the protocol requires https and a path. */
function isMetadataUrl(text: string): boolean {
  if (hasReferences(text)) return true
  return URL.canParse(text) && new URL(text).protocol === 'https:' && new URL(text).pathname !== '/'
}
