// The URI of a server's resource where there are several servers: whose it is, and then the URI itself, unchanged.

import { isRecord } from '../core/schema.ts'
import type { Fields } from './features.ts'

const SCHEME = 'toolcrib://'

/** Unchanged also where it is a template: what a client puts into its variables arrives at the server as it is. */
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

/** The answer to resources/read or prompts/get with other URIs for the resources in it. */
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
