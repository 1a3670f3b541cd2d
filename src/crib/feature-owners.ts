// Finds the server that owns a prompt or a resource, by the name or the URI that a client uses.

import { UriTemplate } from '@modelcontextprotocol/server'
import { uniqueNames } from '../catalog/naming.ts'
import { isRecord } from '../core/is-record.ts'
import { INVALID_PARAMS, refuse } from './feature-answers.ts'
import type { FeatureLists, FeatureSource } from './feature-lists.ts'
import type { FeatureAnswer, FeatureKind, Fields } from './features.ts'

export interface OwnersOptions {
  /** The servers that the caller may use. */
  featureSources(): readonly FeatureSource[]
  /** Whether the gateway has several servers, so that names contain the server. The same for every caller. */
  hasSeveralSources(): boolean
  listsOf(source: FeatureSource): FeatureLists
}

/** The source that owns a prompt or resource, and its name at that source. */
interface Owned {
  readonly source: FeatureSource
  readonly name: string
}

/** One list of a source. */
interface SourceList {
  readonly source: FeatureSource
  readonly items: readonly Fields[]
}

/** An item with its name at its source, and the name under which clients see it. */
interface ListedItem extends Owned {
  readonly item: Fields
  readonly listed: string
}

export function createFeatureOwners({ featureSources, hasSeveralSources, listsOf }: OwnersOptions) {
  /** The lists of all servers. Waits for servers without a known list. */
  const listOfEach = (kind: FeatureKind, signal: AbortSignal) =>
    Promise.all(featureSources().map(async (source) => ({ source, items: await listsOf(source).list(kind, signal) })))
  const knownPrompts = () =>
    Promise.all(featureSources().map(async (source) => ({ source, items: await listsOf(source).known('prompts') })))

  /** Adds the name under which clients see each item. With several servers it contains the server. */
  const withListedNames = (lists: readonly SourceList[]): readonly ListedItem[] => {
    const flat = lists.flatMap(({ source, items }) =>
      items.map((item) => ({ source, item, name: String(item.name), key: JSON.stringify([source.id, item.name]) })),
    )
    const hasSeveral = hasSeveralSources()
    const names = uniqueNames(
      new Map(flat.map(({ source, name, key }) => [key, hasSeveral ? `${source.id}__${name}` : name])),
    )
    return flat.map(({ key, ...rest }) => ({ ...rest, listed: names.get(key) ?? rest.name }))
  }

  /** Returns a refusal if no server has the prompt. */
  const ownerOfPrompt = async (name: unknown, signal: AbortSignal): Promise<Owned | FeatureAnswer> =>
    // A known prompt needs no wait for servers without a known list.
    withListedNames(await knownPrompts()).find(({ listed }) => listed === name) ??
    withListedNames(await listOfEach('prompts', signal)).find(({ listed }) => listed === name) ??
    refuse(INVALID_PARAMS, `No prompt named '${String(name)}'; prompts/list shows all prompts.`)

  /** Returns a refusal if no server, or more than one, can have the resource. */
  const ownerOfUri = async (uri: string, signal: AbortSignal): Promise<Owned | FeatureAnswer> => {
    const split = splitUri(uri)
    const source = featureSources().find(({ id }) => id === split?.server)
    if (split !== undefined && source !== undefined) return { source, name: split.uri }
    const owners = await candidates(uri, signal)
    const [owner] = owners
    if (owner !== undefined && owners.length === 1) return { source: owner, name: uri }
    if (owner === undefined) return refuse(INVALID_PARAMS, `Resource not found: ${uri}`, { uri })
    const uris = owners.map(({ id }) => gatewayUri(id, uri))
    return refuse(INVALID_PARAMS, `Several servers have ${uri}: read ${uris.join(' or ')}.`, { uri })
  }
  /**
   * The servers that a server's own URI can belong to: those that list it, else those with a template that matches it.
   * Clients get such URIs from links in the results of tools.
   */
  const candidates = async (uri: string, signal: AbortSignal): Promise<readonly FeatureSource[]> => {
    const all = featureSources()
    if (all.length < 2) return all
    const listing = (await listOfEach('resources', signal)).filter(({ items }) =>
      items.some((item) => item.uri === uri),
    )
    if (listing.length > 0) return listing.map(({ source }) => source)
    const templates = await listOfEach('resourceTemplates', signal)
    return templates
      .filter(({ items }) => items.some((item) => matchesTemplate(String(item.uriTemplate), uri)))
      .map(({ source }) => source)
  }
  return { listOfEach, withListedNames, ownerOfPrompt, ownerOfUri }
}

function matchesTemplate(template: string, uri: string): boolean {
  try {
    return new UriTemplate(template).match(uri) !== null
  } catch {
    return false
  }
}

const SCHEME = 'toolcrib://'

/**
 * The URI of a resource when there are several servers: the name of the server, then the unchanged original URI. A URI
 * template also stays unchanged, so the values that a client fills in reach the server as they are.
 */
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
