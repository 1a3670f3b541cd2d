// The tools of a server: from its cached manifest, its configuration or the server itself. Refreshed when they change.

import type { ServerConfig } from '../../config/server-config.ts'
import type { SchemaValidator } from '../../core/json-schema.ts'
import type { ToolEntry } from '../../core/tool.ts'
import type { Store } from '../../storage/store.ts'
import { cleanAbout } from './clean-tool.ts'
import { toEntry } from './entry.ts'
import { loadManifest, type Manifest, manifestKey, saveManifest } from './manifest.ts'
import type { Session } from './session.ts'
import { checkTools, type ListProblem, type UpstreamTool } from './tool-list.ts'

export interface Listing {
  /** Reads the manifest from the store, once. */
  load(): Promise<void>
  readonly manifest: Manifest | undefined
  readonly entries: readonly ToolEntry[]
  /** True if neither a manifest nor the configuration has tools of this server. */
  readonly isUnknown: boolean
  tool(name: string): UpstreamTool | undefined
  /**
   * Asks the server for its list, with one request at a time. Never rejects: resolves with the reason if the list could
   * not be fetched, and reports it unless `isQuiet`.
   */
  refresh(session: Session, isQuiet?: boolean): Promise<string | undefined>
  /** The refresh in flight. */
  readonly refreshing: Promise<string | undefined> | undefined
  /** Records that the server has sent a request to a client. */
  noteAsk(): void
  onChange(listener: () => void): () => void
  dispose(): void
}

interface UpstreamListingOptions {
  readonly config: ServerConfig
  readonly store: Store
  readonly validator: SchemaValidator
  readonly now: () => number
  onProblem(reason: string): void
}

const PACE_WINDOW_MS = 60_000
const FIRST_PACE_MS = 100

export function createListing({ config, store, validator, now, onProblem }: UpstreamListingOptions): Listing {
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

  const setTools = (list: readonly UpstreamTool[]) => {
    tools = new Map(list.map((tool) => [tool.name, tool]))
    entries = list.map((tool) => toEntry(tool, config.name, validator))
  }
  setTools(declaredTools(config))
  const unknown = new Set(config.tools?.flatMap(({ name, inputSchema }) => (inputSchema === undefined ? [name] : [])))
  entries = entries.map((entry) => (unknown.has(entry.name) ? { ...entry, isSchemaUnknown: true } : entry))

  const keep = async (next: Manifest) => {
    manifest = next
    try {
      await saveManifest(store, next)
    } catch (error) {
      onProblem(`its manifest could not be kept: ${errorText(error)}`)
    }
  }

  const fetchOnce = async (session: Session) => {
    const { tools: listed, problems } = await session.listTools(closing.signal)
    for (const reason of summarize(problems)) onProblem(reason)
    const isFirst = manifest === undefined
    const isSame = !isFirst && JSON.stringify(listed) === JSON.stringify([...tools.values()])
    if (!isSame) setTools(listed)
    const { serverInfo, instructions, capabilities, era } = session
    const { about, warnings } = cleanAbout({
      ...(serverInfo === undefined ? {} : { serverInfo }),
      ...(instructions === undefined ? {} : { instructions }),
    })
    const kept = keep({
      configHash: key,
      fetchedAt: now(),
      era,
      // An assumed era keeps its date, so that it is probed again when it is too old.
      eraAt: era === 'legacy' && manifest?.era === 'legacy' && session.isEraAssumed ? manifest.eraAt : now(),
      ...about,
      ...(warnings.length === 0 ? {} : { warnings }),
      capabilities,
      ...(hasAsked || manifest?.asks === true ? { asks: true } : {}),
      tools: listed,
      problems,
    })
    // Notified before the manifest is saved: callers that wait for the list must not wait for the disk.
    if (!isSame) for (const listener of [...listeners]) listener()
    await kept
  }

  /** Delays the requests to a server that reports a change after every request. */
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
      // Read after the delay: the server may have been restarted meanwhile.
      const session = wanted
      wanted = undefined
      if (session !== undefined && !closing.signal.aborted) await fetchOnce(session)
    } catch (error) {
      fault = `its tools could not be listed: ${errorText(error)}`
      if (!closing.signal.aborted && !wantsQuiet) onProblem(fault)
    }
    // A refresh that was requested meanwhile is a new one: callers of this one do not wait for it.
    refreshing = wanted === undefined || closing.signal.aborted ? undefined : run()
    return fault
  }

  return {
    load() {
      loading ??= (async () => {
        try {
          manifest = await loadManifest(store, key)
          if (manifest !== undefined) setTools(manifest.tools)
        } catch (error) {
          onProblem(`its manifest could not be read: ${errorText(error)}`)
        }
      })()
      return loading
    },
    get manifest() {
      return manifest
    },
    get isUnknown() {
      return manifest === undefined && entries.length === 0
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

const MAX_REPORTED = 10

/** Reports at most MAX_REPORTED problems and the number of the others. */
function summarize(problems: readonly ListProblem[]): readonly string[] {
  const reasons = problems.slice(0, MAX_REPORTED).map(({ reason }) => reason)
  const more = problems.length - MAX_REPORTED
  return more <= 0 ? reasons : [...reasons, `${more} more ${more === 1 ? 'problem' : 'problems'} in its list`]
}

function declaredTools({ tools = [] }: ServerConfig): readonly UpstreamTool[] {
  return checkTools(tools.map((tool) => ({ ...tool, inputSchema: tool.inputSchema ?? { type: 'object' } }))).tools
}

/** Resolves early when the signal aborts. Does not keep the process alive. */
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

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
