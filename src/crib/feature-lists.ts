// What one server lists besides tools, as far as it is known: asked for when it is needed, kept when asking fails.

import { isSpecType } from '@modelcontextprotocol/server'
import { atMost } from '../core/patience.ts'
import { isRecord } from '../core/schema.ts'
import { messageOf } from '../core/text.ts'
import { unlessAborted } from '../core/unless-aborted.ts'
import type { UpstreamSource } from '../sources/upstream/upstream-source.ts'
import type { Store } from '../storage/store.ts'
import type { FeatureKind, Fields } from './features.ts'

/** As much of an upstream source as is needed for what is not a tool. */
export type FeatureSource = Pick<UpstreamSource, 'id' | 'state' | 'manifest' | 'ensure' | 'request'> &
  Partial<Pick<UpstreamSource, 'onNews' | 'remedy' | 'waitLeft'>>

export interface FeatureListsOptions {
  /** Where lists outlive the process, so that listing need not start every server. */
  readonly store?: Store | undefined
  /** How long listings wait for a server: for its first start, and for the first answer to each list. */
  readonly waitMs: number
  readonly now: () => number
  /** Ends what goes on in the background. */
  readonly signal: AbortSignal
  onChange(kind: FeatureKind): void
  onProblem(reason: string): void
}

export interface FeatureLists {
  /** What is known now. */
  known(kind: FeatureKind): Promise<readonly Fields[]>
  /** The same after a little patience with a server of which nothing is known. Rejects only when the signal aborts. */
  list(kind: FeatureKind, signal: AbortSignal): Promise<readonly Fields[]>
  /** The server says that this list has changed: whoever asks next waits for what it is now. */
  expire(kind: FeatureKind): void
  /** Whether the server has said that it does this, as far as it is known. */
  has(capability: string): Promise<boolean>
}

interface Known {
  readonly items: readonly Fields[]
  readonly at: number
}

interface Listing {
  readonly method: string
  readonly capability: 'prompts' | 'resources'
  isOne(item: unknown): boolean
}

const LISTINGS: Readonly<Record<FeatureKind, Listing>> = {
  prompts: { method: 'prompts/list', capability: 'prompts', isOne: isSpecType.Prompt },
  resources: { method: 'resources/list', capability: 'resources', isOne: isSpecType.Resource },
  resourceTemplates: {
    method: 'resources/templates/list',
    capability: 'resources',
    isOne: isSpecType.ResourceTemplate,
  },
}

/** A server that runs is asked again after so long; one that does not is left alone for longer. */
const FRESH_MS = 60_000
const FRESH_WHEN_STOPPED_MS = 3_600_000
const MAX_PAGES = 200
const MAX_ITEMS = 10_000
const METHOD_NOT_FOUND = -32_601

export function createFeatureLists(source: FeatureSource, options: FeatureListsOptions): FeatureLists {
  const { store, waitMs, now, onProblem } = options
  const lists = new Map<FeatureKind, Known>()
  /** Known to be out of date: nobody is given them while the server can still be asked. */
  const expired = new Set<FeatureKind>()
  const given = new Map<FeatureKind, string>()
  /** The requests in flight. */
  const asking = new Map<FeatureKind, Promise<void>>()
  /** When each list was first asked for from a server that had started. */
  const firstAskedAt = new Map<FeatureKind, number>()
  let loading: Promise<void> | undefined

  const load = () => {
    loading ??= (async () => {
      const key = await keyOf(source)
      const stored = key === undefined ? undefined : await store?.get(key)
      for (const [kind, known] of Object.entries(isRecord(stored) ? stored : {})) {
        if (!isKind(kind) || !isRecord(known) || typeof known.at !== 'number') continue
        lists.set(kind, { items: sift(kind, known.items), at: known.at })
      }
    })().catch((error) => onProblem(`what it lists besides tools could not be read: ${messageOf(error)}`))
    return loading
  }
  const isFresh = ({ at }: Known) =>
    now() - at < (source.state().state === 'connected' ? FRESH_MS : FRESH_WHEN_STOPPED_MS)

  const refresh = async (kind: FeatureKind) => {
    try {
      expired.delete(kind)
      const items = await fetchAll(source, kind, options.signal)
      lists.set(kind, { items, at: now() })
      const key = await keyOf(source)
      if (key !== undefined) await store?.set(key, Object.fromEntries(lists))
    } catch (error) {
      // A start that failed is reported by the source, once.
      if (!options.signal.aborted && source.state().state !== 'failed')
        onProblem(`its ${kind} could not be listed: ${messageOf(error)}`)
    } finally {
      asking.delete(kind)
    }
    const before = given.get(kind)
    if (before !== undefined && before !== JSON.stringify(lists.get(kind)?.items ?? [])) options.onChange(kind)
  }

  /** A server that does not start, or does not answer, is waited for once; after a change, once more. */
  const waitLeft = async (kind: FeatureKind): Promise<number> => {
    if ((await source.manifest()) === undefined) return source.waitLeft?.(waitMs) ?? waitMs
    const firstAt = firstAskedAt.get(kind) ?? now()
    firstAskedAt.set(kind, firstAt)
    return Math.max(0, firstAt + waitMs - now())
  }
  const request = (kind: FeatureKind): Promise<void> => {
    const pending = asking.get(kind) ?? refresh(kind)
    asking.set(kind, pending)
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
      // A request in flight may have been sent before the change.
      if (expired.has(kind)) await wait(asking.get(kind) ?? Promise.resolve())
      const known = lists.get(kind)
      const isNeeded = known === undefined || expired.has(kind)
      if (isNeeded || !isFresh(known)) {
        const pending = request(kind)
        if (isNeeded && leftMs > 0) await wait(pending)
      }
      const items = lists.get(kind)?.items ?? []
      given.set(kind, JSON.stringify(items))
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

/** Page after page, from a server that has such a list. */
async function fetchAll(source: FeatureSource, kind: FeatureKind, signal: AbortSignal): Promise<readonly Fields[]> {
  const { method, capability } = LISTINGS[kind]
  if ((await source.manifest()) === undefined) await source.ensure(signal)
  // One that says that it has none is not started to be asked for them.
  if ((await source.manifest())?.capabilities[capability] === undefined) return []
  const items: Fields[] = []
  const seen = new Set<unknown>()
  for (let cursor: unknown, page = 1; page <= MAX_PAGES && items.length < MAX_ITEMS; page++) {
    const outcome = await source.request(method, cursor === undefined ? {} : { cursor }, signal)
    if (outcome.kind === 'refused' && outcome.rpcCode === METHOD_NOT_FOUND) break
    if (outcome.kind !== 'answered')
      throw new Error('reason' in outcome ? outcome.reason : `the request was ${outcome.kind}`)
    const result = isRecord(outcome.result) ? outcome.result : {}
    items.push(...sift(kind, result[kind]))
    cursor = result.nextCursor
    if (typeof cursor !== 'string' || cursor === '' || seen.has(cursor)) break
    seen.add(cursor)
  }
  return items.slice(0, MAX_ITEMS)
}

/** A client refuses a whole list for one entry that is wrong, so that one is left out. */
function sift(kind: FeatureKind, items: unknown): readonly Fields[] {
  return Array.isArray(items) ? items.filter((item) => isRecord(item) && LISTINGS[kind].isOne(item)) : []
}

function isKind(text: string): text is FeatureKind {
  return Object.hasOwn(LISTINGS, text)
}

async function keyOf(source: FeatureSource): Promise<string | undefined> {
  const manifest = await source.manifest()
  return manifest === undefined ? undefined : `features:${manifest.configHash}`
}
