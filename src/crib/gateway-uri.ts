// The URI of a resource when there are several servers: the name of the server, then the unchanged original URI.

import { isRecord } from '../core/is-record.ts'
import type { Fields } from './features.ts'

const SCHEME = 'toolcrib://'

/** A URI template also stays unchanged, so the values that a client fills in reach the server as they are. */
export function gatewayUri(server: string, uri: string): string {
  return `${SCHEME}${encodeURIComponent(server)}/${uri}`
}

export function splitUri(uri: string): { readonly server: string; readonly uri: string } | undefined {
  if (!uri.startsWith(SCHEME)) return undefined
  const end = uri.indexOf('/', SCHEME.length)
  if (end < 0) return undefined
  try {
    return { server: decodeURIComponent(uri.slice(SCHEME.length, end)), uri: uri.slice(end + 1) }
  } catch {
    return undefined
  }
}

/** Rewrites the URIs of the resources in an answer to resources/read or prompts/get. */
export function rewriteUris(result: Fields, rewrite: (uri: string) => string): Fields {
  const withUri = (item: unknown) =>
    isRecord(item) && typeof item.uri === 'string' ? { ...item, uri: rewrite(item.uri) } : item
  const block = (content: unknown): unknown => {
    if (!isRecord(content)) return content
    if (content.type === 'resource') return { ...content, resource: withUri(content.resource) }
    return content.type === 'resource_link' ? withUri(content) : content
  }
  const message = (one: unknown) => (isRecord(one) ? { ...one, content: block(one.content) } : one)
  return {
    ...result,
    ...(Array.isArray(result.contents) ? { contents: result.contents.map(withUri) } : {}),
    ...(Array.isArray(result.messages) ? { messages: result.messages.map(message) } : {}),
  }
}
