// Passes prompts, resources and completions of servers on to clients (docs/decisions/011).

import { setMaxListeners } from 'node:events'
import { UriTemplate } from '@modelcontextprotocol/server'
import { uniqueNames } from '../catalog/naming.ts'
import { errorOf, errors } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { messageOf } from '../core/text.ts'
import { compileRights } from '../rules/rights.ts'
import type { ToolSource } from '../sources/source.ts'
import type { CallOutcome } from '../sources/upstream/call-outcome.ts'
import type { Store } from '../storage/store.ts'
import { createFeatureLists, type FeatureLists, type FeatureSource } from './feature-lists.ts'
import type { FeatureAnswer, FeatureKind, FeatureMethod, Features, Fields } from './features.ts'
import { gatewayUri, rewriteUris, splitUri } from './gateway-uri.ts'
import type { Request } from './request.ts'

export interface PassthroughOptions {
  /** All current sources. Sources with only tools count too when the gateway decides whether names need a prefix. */
  sources(): readonly ToolSource[]
  /** Keeps the lists between processes. */
  readonly store?: Store
  /** How long a listing waits for servers without known lists (default 5,000). */
  readonly listWaitMs?: number
  readonly now?: () => number
  onProblem?(server: string, reason: string): void
}

interface Passthrough extends Features {
  [Symbol.asyncDispose](): Promise<void>
}

/** The source that owns a prompt or resource, and its name at that source. */
interface Owned {
  readonly source: FeatureSource
  readonly name: string
}

const INVALID_PARAMS = -32_602
/** Used by protocols before 2026-07-28. Newer ones use INVALID_PARAMS. */
const RESOURCE_NOT_FOUND = -32_002

export function createPassthrough(options: PassthroughOptions): Passthrough {
  const { store, listWaitMs = 5_000, now = Date.now, onProblem } = options
  const closing = new AbortController()
  // Every server, and every request for a list, adds a listener to this signal.
  setMaxListeners(0, closing.signal)
  const listeners = new Set<(kind: FeatureKind, server: string) => void>()
  // Keyed weakly: sources are added and removed with the configuration.
  const known = new WeakMap<FeatureSource, FeatureLists>()

  const notify = (kind: FeatureKind, server: string) => listeners.forEach((listener) => void listener(kind, server))
  const listsOf = (source: FeatureSource): FeatureLists => {
    const existing = known.get(source)
    if (existing !== undefined) return existing
    const lists = createFeatureLists(source, {
      store,
      waitMs: listWaitMs,
      now,
      signal: closing.signal,
      onChange: (kind) => notify(kind, source.id),
      onProblem: (reason) => onProblem?.(source.id, reason),
    })
    known.set(source, lists)
    follow(source, lists)
    return lists
  }
  const follow = (source: FeatureSource, lists: FeatureLists) => {
    const stop = source.onNotification?.((notification) => {
      if (notification.kind !== 'listChanged') return
      // The protocol has one notification for the lists of resources and resource templates.
      const kinds =
        notification.of === 'prompts' ? (['prompts'] as const) : (['resources', 'resourceTemplates'] as const)
      for (const kind of kinds) lists.expire(kind)
      notify(notification.of, source.id)
    })
    if (stop !== undefined) closing.signal.addEventListener('abort', stop, { once: true })
  }
  const featuresFor = (isAllowed: (server: string) => boolean): Features =>
    createFeatures({
      featureSources: () =>
        options
          .sources()
          .filter(isFeatureSource)
          .filter(({ id }) => isAllowed(id)),
      hasSeveralSources: () => options.sources().length > 1,
      listsOf,
      onChange(listener) {
        const notifyAllowed = (kind: FeatureKind, server: string) => isAllowed(server) && listener(kind)
        listeners.add(notifyAllowed)
        return () => listeners.delete(notifyAllowed)
      },
    })
  return {
    ...featuresFor(() => true),
    within: (rights) => featuresFor(compileRights(rights).allowsFeatures),
    async [Symbol.asyncDispose]() {
      closing.abort()
      listeners.clear()
    },
  }
}

interface FeaturesOptions {
  featureSources(): readonly FeatureSource[]
  /** Whether the gateway has several servers, so that names contain the server. The same for every caller. */
  hasSeveralSources(): boolean
  listsOf(source: FeatureSource): FeatureLists
  onChange(listener: (kind: FeatureKind) => void): () => void
}

/** The features of the servers that a caller may use. */
function createFeatures({ featureSources, hasSeveralSources, listsOf, onChange }: FeaturesOptions): Features {
  const listOfEach = (kind: FeatureKind, signal: AbortSignal) =>
    Promise.all(featureSources().map(async (source) => ({ source, items: await listsOf(source).list(kind, signal) })))
  const knownPrompts = () =>
    Promise.all(featureSources().map(async (source) => ({ source, items: await listsOf(source).known('prompts') })))

  /** Adds the name under which clients see each item. With several servers it contains the server. */
  const withListedNames = (listings: Awaited<ReturnType<typeof listOfEach>>) => {
    const flat = listings.flatMap(({ source, items }) =>
      items.map((item) => ({ source, item, name: String(item.name), key: JSON.stringify([source.id, item.name]) })),
    )
    const several = hasSeveralSources()
    const names = uniqueNames(
      new Map(flat.map(({ source, name, key }) => [key, several ? `${source.id}__${name}` : name])),
    )
    return flat.map(({ key, ...rest }) => ({ ...rest, listed: names.get(key) ?? rest.name }))
  }

  const ownerOfPrompt = async (name: unknown, signal: AbortSignal): Promise<Owned | FeatureAnswer> =>
    // A known prompt needs no wait for servers without a known list.
    withListedNames(await knownPrompts()).find(({ listed }) => listed === name) ??
    withListedNames(await listOfEach('prompts', signal)).find(({ listed }) => listed === name) ??
    refuse(INVALID_PARAMS, `No prompt named '${String(name)}'; prompts/list shows all prompts.`)

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

  const ask = async (
    source: FeatureSource,
    method: FeatureMethod,
    params: Fields,
    signal: AbortSignal,
    request?: Request,
  ): Promise<FeatureAnswer> => {
    try {
      const answer = answerOf(source, await source.request(method, params, signal, request))
      if (!answer.ok || !hasSeveralSources()) return answer
      return { ok: true, result: rewriteUris(answer.result, (uri) => gatewayUri(source.id, uri)) }
    } catch (error) {
      signal.throwIfAborted()
      return unavailable(source, messageOf(error))
    }
  }
  const complete = async (params: Fields, signal: AbortSignal): Promise<FeatureAnswer> => {
    const ref = isRecord(params.ref) ? params.ref : {}
    const owner =
      ref.type === 'ref/prompt' ? await ownerOfPrompt(ref.name, signal) : await ownerOfUri(String(ref.uri), signal)
    if ('ok' in owner) return owner
    if (!(await listsOf(owner.source).has('completions'))) return { ok: true, result: { completion: { values: [] } } }
    const own = ref.type === 'ref/prompt' ? { name: owner.name } : { uri: owner.name }
    return ask(owner.source, 'completion/complete', { ...params, ref: { ...ref, ...own } }, signal)
  }

  return {
    async list(kind, signal) {
      if (kind === 'prompts')
        return withListedNames(await listOfEach(kind, signal)).map(({ item, listed }) => ({ ...item, name: listed }))
      const field = kind === 'resources' ? 'uri' : 'uriTemplate'
      const several = hasSeveralSources()
      return (await listOfEach(kind, signal)).flatMap(({ source, items }) =>
        items.map((item) => (several ? { ...item, [field]: gatewayUri(source.id, String(item[field])) } : item)),
      )
    },
    async answer(method, params, signal, request) {
      if (method === 'completion/complete') return complete(params, signal)
      const isPrompt = method === 'prompts/get'
      const owner = isPrompt ? await ownerOfPrompt(params.name, signal) : await ownerOfUri(String(params.uri), signal)
      if ('ok' in owner) return owner
      const own = { ...params, [isPrompt ? 'name' : 'uri']: owner.name }
      const answer = await ask(owner.source, method, own, signal, request)
      // Clients recognize a missing resource by `data.uri`.
      const isMissing = !answer.ok && answer.rpcCode === INVALID_PARAMS && !isPrompt
      return isMissing ? { ...answer, data: { uri: params.uri } } : answer
    },
    onChange: (listener) => onChange(listener),
  }
}

/** Servers that run once per person are excluded, because all clients get the same lists. */
function isFeatureSource(source: ToolSource): source is ToolSource & FeatureSource {
  if ('isPerPrincipal' in source && source.isPerPrincipal === true) return false
  return 'request' in source && 'manifest' in source && 'ensure' in source
}

type ServerRef = Pick<FeatureSource, 'id' | 'remedy'>

export function answerOf(server: ServerRef, outcome: CallOutcome): FeatureAnswer {
  switch (outcome.kind) {
    case 'answered': {
      if (!isRecord(outcome.result)) return unavailable(server, 'its answer is not a result')
      // The gateway sets the type and the cache fields of its own answer, so those of the server are dropped.
      const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...result } = outcome.result
      const { declined } = outcome
      if (declined === undefined) return { ok: true, result }
      const _meta = isRecord(result._meta) ? result._meta : {}
      return { ok: true, result: { ...result, _meta: { ..._meta, 'toolcrib/declined': declined } } }
    }
    case 'refused': {
      const { rpcCode = errors.SERVER_UNAVAILABLE.rpc, reason } = outcome
      return refuse(rpcCode === RESOURCE_NOT_FOUND ? INVALID_PARAMS : rpcCode, reason, { server: server.id })
    }
    case 'login': {
      const { code, message, suggestion } = errorOf('AUTH_REQUIRED', {
        ...outcome.needed,
        reason: outcome.needed.message,
      })
      return refuse(errors.AUTH_REQUIRED.rpc, message, { code, suggestion, server: server.id })
    }
    case 'late':
      return unavailable(server, `it did not answer in ${outcome.afterMs} ms`)
    case 'lost':
      return unavailable(server, outcome.reason)
    case 'unanswered':
      return unavailable(server, `it needs a client that declares '${outcome.capability}'`)
    // The client gets the questions of the server instead of this result.
    case 'asked':
      return { ok: true, result: {} }
    case 'cancelled':
      return unavailable(server, 'the request was cancelled')
  }
}

function unavailable({ id: server, remedy }: ServerRef, reason: string): FeatureAnswer {
  const data = { server, reason, retryAfterMs: 0, ...(remedy === undefined ? {} : { remedy }) }
  const { code, message, suggestion } = errorOf('SERVER_UNAVAILABLE', data)
  return refuse(errors.SERVER_UNAVAILABLE.rpc, message, { code, suggestion, server })
}

function refuse(rpcCode: number, message: string, data?: Fields): FeatureAnswer & { readonly ok: false } {
  return { ok: false, rpcCode, message, ...(data === undefined ? {} : { data }) }
}

function matchesTemplate(template: string, uri: string): boolean {
  try {
    return new UriTemplate(template).match(uri) !== null
  } catch {
    return false
  }
}
