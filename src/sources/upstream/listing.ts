// What is known of a server's tools: from its manifest, its configuration, or itself; asked for again when it changes.

import type { ServerConfig } from '../../config/server-config.ts'
import type { SchemaValidator } from '../../core/json-schema.ts'
import type { ToolEntry } from '../../core/tool.ts'
import type { Store } from '../../storage/store.ts'
import { toEntry } from './entry.ts'
import { loadManifest, type Manifest, manifestKey, saveManifest } from './manifest.ts'
import type { Session } from './session.ts'
import { type ListProblem, siftTools, type UpstreamTool } from './tool-list.ts'

export interface Listing {
  /** Reads the manifest, once. */
  load(): Promise<void>
  readonly manifest: Manifest | undefined
  readonly entries: readonly ToolEntry[]
  tool(name: string): UpstreamTool | undefined
  /**
   * Asks the server, with one request at a time however often its list changes. Never rejects: it gives the reason where
   * the list could not be had, and reports it unless `isQuiet`.
   */
  refresh(session: Session, isQuiet?: boolean): Promise<string | undefined>
  /** The asking that is under way. */
  readonly refreshing: Promise<string | undefined> | undefined
  /** The server has put a request to a client. */
  noteAsk(): void
  onChange(listener: () => void): () => void
  dispose(): void
}

export interface ListingOptions {
  readonly config: ServerConfig
  readonly store: Store
  readonly validator: SchemaValidator
  readonly now: () => number
  onProblem(reason: string): void
}

const PACE_WINDOW_MS = 60_000
const FIRST_PACE_MS = 100

export function createListing({ config, store, validator, now, onProblem }: ListingOptions): Listing {
  const key = manifestKey(config)
  const closing = new AbortController()
  const listeners = new Set<() => void>()
  let manifest: Manifest | undefined
  let tools: ReadonlyMap<string, UpstreamTool> = new Map()
  let entries: readonly ToolEntry[] = []
  let loading: Promise<void> | undefined
  let wanted: Session | undefined
  let wantsQuiet = false
  let refreshing: Promise<string | undefined> | undefined
  let hasAsked = false
  let refreshedAt: number[] = []

  const show = (list: readonly UpstreamTool[]) => {
    tools = new Map(list.map((tool) => [tool.name, tool]))
    entries = list.map((tool) => toEntry(tool, config.name, validator))
  }
  show(declaredTools(config))
  const unclear = new Set(config.tools?.flatMap(({ name, inputSchema }) => (inputSchema === undefined ? [name] : [])))
  entries = entries.map((entry) => (unclear.has(entry.name) ? { ...entry, isSchemaUnknown: true } : entry))

  const keep = async (next: Manifest) => {
    manifest = next
    try {
      await saveManifest(store, next)
    } catch (error) {
      onProblem(`its manifest could not be kept: ${wordsOf(error)}`)
    }
  }

  const fetchOnce = async (session: Session) => {
    const { tools: listed, problems } = await session.listTools(closing.signal)
    for (const reason of inShort(problems)) onProblem(reason)
    const isFirst = manifest === undefined
    const isSame = !isFirst && JSON.stringify(listed) === JSON.stringify([...tools.values()])
    if (!isSame) show(listed)
    const { serverInfo, instructions, capabilities, era } = session
    const kept = keep({
      configHash: key,
      fetchedAt: now(),
      era,
      // A verdict that was only taken over keeps its date, so that it is questioned some day.
      eraAt: era === 'legacy' && manifest?.era === 'legacy' && session.isEraAssumed ? manifest.eraAt : now(),
      ...(serverInfo === undefined ? {} : { serverInfo }),
      ...(instructions === undefined ? {} : { instructions }),
      capabilities,
      ...(hasAsked || manifest?.asks === true ? { asks: true } : {}),
      tools: listed,
      problems,
    })
    // Before it is on disk: whoever waits for the list must not wait for the disk.
    if (!isSame) for (const listener of [...listeners]) listener()
    await kept
  }

  /** A server that changes its list whenever it is asked for it is asked more and more rarely. */
  const pace = async () => {
    refreshedAt = refreshedAt.filter((time) => time > now() - PACE_WINDOW_MS)
    const waitMs = refreshedAt.length < 2 ? 0 : FIRST_PACE_MS * 2 ** (refreshedAt.length - 2)
    refreshedAt.push(now())
    if (waitMs > 0) await pause(Math.min(waitMs, PACE_WINDOW_MS), closing.signal)
  }

  const run = async (): Promise<string | undefined> => {
    let fault: string | undefined
    try {
      await pace()
      // Only now: it may have been started anew while we waited.
      const session = wanted
      wanted = undefined
      if (session !== undefined && !closing.signal.aborted) await fetchOnce(session)
    } catch (error) {
      fault = `its tools could not be listed: ${wordsOf(error)}`
      if (!closing.signal.aborted && !wantsQuiet) onProblem(fault)
    }
    // What was asked for meanwhile is another asking: whoever waits for this one does not wait for that.
    refreshing = wanted === undefined || closing.signal.aborted ? undefined : run()
    return fault
  }

  return {
    load() {
      loading ??= (async () => {
        try {
          manifest = await loadManifest(store, key)
          if (manifest !== undefined) show(manifest.tools)
        } catch (error) {
          onProblem(`its manifest could not be read: ${wordsOf(error)}`)
        }
      })()
      return loading
    },
    get manifest() {
      return manifest
    },
    get entries() {
      return entries
    },
    tool: (name) => tools.get(name),
    refresh(session, isQuiet = false) {
      wanted = session
      wantsQuiet = isQuiet
      refreshing ??= run()
      return refreshing
    },
    get refreshing() {
      return refreshing
    },
    noteAsk() {
      hasAsked = true
      if (manifest !== undefined && manifest.asks !== true) void keep({ ...manifest, asks: true })
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    dispose() {
      closing.abort()
      listeners.clear()
    },
  }
}

const MAX_SAID = 10

/** A list with thousands of faults is one fault to whoever reads of it. */
function inShort(problems: readonly ListProblem[]): readonly string[] {
  const reasons = problems.slice(0, MAX_SAID).map(({ reason }) => reason)
  return problems.length <= MAX_SAID ? reasons : [...reasons, `${problems.length - MAX_SAID} more faults of its list`]
}

function declaredTools({ tools = [] }: ServerConfig): readonly UpstreamTool[] {
  return siftTools(tools.map((tool) => ({ ...tool, inputSchema: tool.inputSchema ?? { type: 'object' } }))).tools
}

/** Over at once when the signal aborts; keeps no process alive. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    timer.unref()
    signal.addEventListener('abort', finish, { once: true })
  })
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
