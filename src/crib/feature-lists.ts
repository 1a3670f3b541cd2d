// Lists the prompts and resources of one server on demand. If a request fails, the last list is kept.

import { isSpecType } from '@modelcontextprotocol/server'
import { cleanValue, withChanged } from '../core/clean-text.ts'
import { isRecord } from '../core/is-record.ts'
import { messageOf } from '../core/text.ts'
import { atMost, unlessAborted } from '../core/waiting.ts'
import { reasonOfOutcome } from '../sources/upstream/to-result.ts'
import type { UpstreamSource } from '../sources/upstream/upstream-source.ts'
import type { Store } from '../storage/store.ts'
import type { FeatureKind, Fields } from './features.ts'

/** The part of an upstream source that prompts and resources need. */
export type FeatureSource = Pick<UpstreamSource, 'id' | 'state' | 'manifest' | 'ensure' | 'request'> &
  Partial<Pick<UpstreamSource, 'onNotification' | 'remedy' | 'waitLeft'>>

interface FeatureListsOptions {
  /** Keeps the lists between processes, so that listing does not start every server. */
  readonly store?: Store | undefined
  /** How long listings wait for a server: for its first start, and for the first answer to each list. */
  readonly waitMs: number
  readonly now: () => number
  /** Ends background requests. */
  readonly signal: AbortSignal
  onChange(kind: FeatureKind): void
  onProblem(reason: string): void
}

export interface FeatureLists {
  /** The list as it is known now. */
  known(kind: FeatureKind): Promise<readonly Fields[]>
  /** The known list, after a short wait if it is missing or was expired. Rejects only when the signal aborts. */
  list(kind: FeatureKind, signal: AbortSignal): Promise<readonly Fields[]>
  /** Marks a list as changed by the server: the next caller waits for the new list. */
  expire(kind: FeatureKind): void
  /** Whether the server declared this capability, as far as it is known. */
  has(capability: string): Promise<boolean>
}

interface Known {
  readonly items: readonly Fields[]
  readonly at: number
}

const LISTINGS = {
  prompts: { label: 'prompts', method: 'prompts/list', capability: 'prompts', isValid: isSpecType.Prompt },
  resources: { label: 'resources', method: 'resources/list', capability: 'resources', isValid: isSpecType.Resource },
  resourceTemplates: {
    label: 'resource templates',
    method: 'resources/templates/list',
    capability: 'resources',
    isValid: isSpecType.ResourceTemplate,
  },
} as const

/** A connected server is asked again after this time; a stopped one after a longer time. */
const FRESH_MS = 60_000
const FRESH_WHEN_STOPPED_MS = 3_600_000
const MAX_PAGES = 200
const MAX_ITEMS = 10_000
const METHOD_NOT_FOUND = -32_601

export function createFeatureLists(source: FeatureSource, options: FeatureListsOptions): FeatureLists {
  const { store, waitMs, now, onProblem } = options
  const lists = new Map<FeatureKind, Known>()
  /** Lists that are known to be outdated. A listing waits for the new list; if it is late, the old one is returned. */
  const expired = new Set<FeatureKind>()
  /** The lists as last returned, as JSON. A different list is reported as a change. */
  const returned = new Map<FeatureKind, string>()
  const inFlight = new Map<FeatureKind, Promise<void>>()
  /** When each list was first requested from a server with a known manifest. Reset after a change of the list. */
  const firstAskedAt = new Map<FeatureKind, number>()
  let loading: Promise<void> | undefined

  const load = () => {
    loading ??= (async () => {
      const key = await keyOf(source)
      const stored = key === undefined ? undefined : await store?.get(key)
      for (const [kind, known] of Object.entries(isRecord(stored) ? stored : {})) {
        if (!isKind(kind) || !isRecord(known) || typeof known.at !== 'number') continue
        lists.set(kind, { items: keepValid(kind, known.items), at: known.at })
      }
    })().catch((error) => onProblem(`its stored prompts and resources could not be read: ${messageOf(error)}`))
    return loading
  }
  const isFresh = ({ at }: Known) =>
    now() - at < (source.state().state === 'connected' ? FRESH_MS : FRESH_WHEN_STOPPED_MS)

  const refresh = async (kind: FeatureKind) => {
    const wasExpired = expired.delete(kind)
    const before = lists.get(kind)
    try {
      const items = await fetchAll(source, kind, options.signal)
      lists.set(kind, { items, at: now() })
      const key = await keyOf(source)
      if (key !== undefined) await store?.set(key, Object.fromEntries(lists))
    } catch (error) {
      if (wasExpired && lists.get(kind) === before) expired.add(kind)
      // The source reports a failed start itself, once.
      if (!options.signal.aborted && source.state().state !== 'failed')
        onProblem(`its ${LISTINGS[kind].label} could not be listed: ${messageOf(error)}`)
    } finally {
      inFlight.delete(kind)
    }
    const last = returned.get(kind)
    if (last !== undefined && last !== JSON.stringify(lists.get(kind)?.items ?? [])) options.onChange(kind)
  }

  /**
   * How long a listing may still wait. Listings wait once for a server that does not start or does not answer, and once
   * more after a change.
   */
  const waitLeft = async (kind: FeatureKind): Promise<number> => {
    if ((await source.manifest()) === undefined) return source.waitLeft?.(waitMs) ?? waitMs
    const firstAt = firstAskedAt.get(kind) ?? now()
    firstAskedAt.set(kind, firstAt)
    return Math.max(0, firstAt + waitMs - now())
  }
  const request = (kind: FeatureKind): Promise<void> => {
    const pending = inFlight.get(kind) ?? refresh(kind)
    inFlight.set(kind, pending)
    return pending
  }

  return {
    async known(kind) {
      await load()
      return lists.get(kind)?.items ?? []
    },
    async list(kind, signal) {
      await load()
      signal.throwIfAborted()
      const leftMs = await waitLeft(kind)
      const wait = (pending: Promise<void>) => unlessAborted(atMost(leftMs, pending), signal)
      // A request in flight may have been sent before the change, so its answer does not count as the new list.
      if (expired.has(kind)) await wait(inFlight.get(kind) ?? Promise.resolve())
      const known = lists.get(kind)
      const isNeeded = known === undefined || expired.has(kind)
      if (isNeeded || !isFresh(known)) {
        const pending = request(kind)
        if (isNeeded && leftMs > 0) await wait(pending)
      }
      const items = lists.get(kind)?.items ?? []
      returned.set(kind, JSON.stringify(items))
      return items
    },
    expire(kind) {
      expired.add(kind)
      if (lists.has(kind)) firstAskedAt.delete(kind)
    },
    async has(capability) {
      return (await source.manifest())?.capabilities[capability] !== undefined
    },
  }
}

/** Fetches all pages of a list from a server that declares the capability. */
async function fetchAll(source: FeatureSource, kind: FeatureKind, signal: AbortSignal): Promise<readonly Fields[]> {
  const { method, capability } = LISTINGS[kind]
  if ((await source.manifest()) === undefined) await source.ensure(signal)
  // A server is not asked if its manifest lacks the capability.
  if ((await source.manifest())?.capabilities[capability] === undefined) return []
  const items: Fields[] = []
  const seen = new Set<unknown>()
  for (let cursor: unknown, page = 1; page <= MAX_PAGES && items.length < MAX_ITEMS; page++) {
    const outcome = await source.request(method, cursor === undefined ? {} : { cursor }, signal)
    if (outcome.kind === 'refused' && outcome.rpcCode === METHOD_NOT_FOUND) break
    if (outcome.kind !== 'answered') throw new Error(reasonOfOutcome(outcome))
    const result = isRecord(outcome.result) ? outcome.result : {}
    items.push(...keepValid(kind, result[kind]))
    cursor = result.nextCursor
    if (typeof cursor !== 'string' || cursor === '' || seen.has(cursor)) break
    seen.add(cursor)
  }
  return items.slice(0, MAX_ITEMS)
}

/** Drops invalid entries, because a client refuses a list with an invalid entry. Cleans the texts of the others. */
function keepValid(kind: FeatureKind, items: unknown): readonly Fields[] {
  if (!Array.isArray(items)) return []
  return items.filter((item): item is Fields => isRecord(item) && LISTINGS[kind].isValid(item)).map(withCleanTexts)
}

/** Names and addresses are not changed, because the server must get them back. */
function withCleanTexts(item: Fields): Fields {
  return withChanged(item, (value, key) => {
    if (key === 'title' || key === 'description' || key === 'annotations') return cleanValue(value)
    return key === 'arguments' && Array.isArray(value)
      ? value.map((one) => (isRecord(one) ? withCleanTexts(one) : one))
      : value
  })
}

function isKind(text: string): text is FeatureKind {
  return Object.hasOwn(LISTINGS, text)
}

async function keyOf(source: FeatureSource): Promise<string | undefined> {
  const manifest = await source.manifest()
  return manifest === undefined ? undefined : `features:${manifest.configHash}`
}
