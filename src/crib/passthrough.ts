// Passes prompts, resources and completions of servers on to clients (docs/decisions/011).

import { setMaxListeners } from 'node:events'
import { isRecord } from '../core/is-record.ts'
import { createListeners } from '../core/listeners.ts'
import { messageOf } from '../core/text.ts'
import { compileRights } from '../rules/rights.ts'
import type { ToolSource } from '../sources/source.ts'
import type { Store } from '../storage/store.ts'
import { answerOf, INVALID_PARAMS, unavailable } from './feature-answers.ts'
import { createFeatureLists, type FeatureLists, type FeatureSource } from './feature-lists.ts'
import { createFeatureOwners, gatewayUri, type OwnersOptions, rewriteUris } from './feature-owners.ts'
import type { FeatureAnswer, FeatureKind, FeatureMethod, Features, Fields } from './features.ts'
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

export function createPassthrough(options: PassthroughOptions): Passthrough {
  const { store, listWaitMs = 5_000, now = Date.now, onProblem } = options
  const closing = new AbortController()
  // Every request for a list adds a listener to this signal.
  setMaxListeners(0, closing.signal)
  const listeners = createListeners<[kind: FeatureKind, server: string]>()
  // Keyed weakly: sources are added and removed with the configuration.
  const known = new WeakMap<FeatureSource, FeatureLists>()

  const listsOf = (source: FeatureSource): FeatureLists => {
    const existing = known.get(source)
    if (existing !== undefined) return existing
    const lists = createFeatureLists(source, {
      store,
      waitMs: listWaitMs,
      now,
      signal: closing.signal,
      onChange: (kind) => listeners.tell(kind, source.id),
      onProblem: (reason) => onProblem?.(source.id, reason),
    })
    known.set(source, lists)
    follow(source, lists)
    return lists
  }
  const follow = (source: FeatureSource, lists: FeatureLists) => {
    // The subscription ends with the source.
    source.onNotification?.((notification) => {
      if (notification.kind !== 'listChanged') return
      // The protocol has one notification for the lists of resources and resource templates.
      const kinds =
        notification.of === 'prompts' ? (['prompts'] as const) : (['resources', 'resourceTemplates'] as const)
      for (const kind of kinds) lists.expire(kind)
      listeners.tell(notification.of, source.id)
    })
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
      onChange: (listener) => listeners.add((kind, server) => isAllowed(server) && listener(kind)),
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

interface FeaturesOptions extends OwnersOptions {
  onChange(listener: (kind: FeatureKind) => void): () => void
}

/** The features of the servers that a caller may use. */
function createFeatures({ onChange, ...options }: FeaturesOptions): Features {
  const { hasSeveralSources, listsOf } = options
  const { listOfEach, withListedNames, ownerOfPrompt, ownerOfUri } = createFeatureOwners(options)
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
      const hasSeveral = hasSeveralSources()
      return (await listOfEach(kind, signal)).flatMap(({ source, items }) =>
        items.map((item) => (hasSeveral ? { ...item, [field]: gatewayUri(source.id, String(item[field])) } : item)),
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

/** Servers that run once per principal are excluded: the gateway keeps one list of a server for all clients. */
function isFeatureSource(source: ToolSource): source is ToolSource & FeatureSource {
  if ('isPerPrincipal' in source && source.isPerPrincipal === true) return false
  return 'request' in source && 'manifest' in source && 'ensure' in source
}
