// The known tools of a server: from the cached manifest, the configuration, or the last list of the server.

import type { ServerConfig } from '../../config/server-config.ts'
import { defined } from '../../core/defined.ts'
import type { SchemaValidator } from '../../core/json-schema.ts'
import { createListeners } from '../../core/listeners.ts'
import { messageOf } from '../../core/text.ts'
import type { ToolChange, ToolEntry } from '../../core/tool.ts'
import type { Store } from '../../storage/store.ts'
import { cleanAbout } from './clean-tool.ts'
import { toEntry } from './entry.ts'
import { hasManifest, loadManifest, type Manifest, manifestKey, manifestName, saveManifest } from './manifest.ts'
import { createServerPins } from './pins/server-pins.ts'
import type { Session } from './session.ts'
import type { UpstreamSettings } from './settings.ts'
import { checkTools, type ToolList, type UpstreamTool } from './tool-list.ts'

/** The part of a session that a manifest describes. */
type DescribedSession = Pick<Session, 'serverInfo' | 'instructions' | 'capabilities' | 'era' | 'isEraAssumed'>

export type UpstreamTools = ReturnType<typeof createUpstreamTools>

interface UpstreamToolsOptions {
  readonly config: ServerConfig
  readonly store: Store
  readonly validator: SchemaValidator
  /** Keeps the pins of tools. Without it, tools are not pinned. */
  readonly pins?: Store | undefined
  readonly options?: Partial<Pick<UpstreamSettings, 'pinning'>>
  readonly now: () => number
  readonly isOwnName?: ((name: string) => boolean) | undefined
  onProblem(reason: string): void
}

/** After this time the lock of a gateway that lists a server expires, and another gateway can list it. */
const LISTING_LOCK_MS = 150_000
/** How long a gateway waits for another one that lists the server. */
const LISTING_WAIT_MS = 30_000
const JUST_LISTED_MS = 60_000

export function createUpstreamTools(given: UpstreamToolsOptions) {
  const { config, store, validator, now, onProblem } = given
  const key = manifestKey(config)
  const listeners = createListeners()
  let manifest: Manifest | undefined
  let tools: ReadonlyMap<string, UpstreamTool> = new Map()
  let entries: readonly ToolEntry[] = []
  let changes: ReadonlyMap<string, ToolChange> = new Map()
  let loading: Promise<void> | undefined
  let hasAsked = false

  const onApproval = () => {
    setTools([...tools.values()])
    listeners.tell()
  }
  const { pinning = 'off' } = given.options ?? {}
  const pins =
    given.pins && createServerPins({ config, pinning, store: given.pins, now, onChange: onApproval, onProblem })

  const setTools = (list: readonly UpstreamTool[]) => {
    tools = new Map(list.map((tool) => [tool.name, tool]))
    entries = list.map((tool) => {
      const { name, pin } = tool
      const facts = { change: pins?.changeOf(name, pin), hasNameOfOwnTool: given.isOwnName?.(name) }
      return toEntry(tool, config.name, validator, facts)
    })
    changes = new Map(entries.flatMap(({ name, change }) => (change === undefined ? [] : [[name, change]])))
  }
  setTools(declaredTools(config))
  const withoutSchema = new Set(
    config.tools?.flatMap(({ name, inputSchema }) => (inputSchema === undefined ? [name] : [])),
  )
  entries = entries.map((entry) => (withoutSchema.has(entry.name) ? { ...entry, isSchemaUnknown: true } : entry))

  const saveAsCurrent = async (next: Manifest) => {
    manifest = next
    try {
      await saveManifest(store, next)
    } catch (error) {
      onProblem(`its manifest could not be saved: ${messageOf(error)}`)
    }
  }
  /** Takes over the manifest that another gateway has saved. Saving it again would notify that gateway. */
  const follow = async () => {
    const next = await loadManifest(store, key).catch(() => undefined)
    if (next === undefined || next.fetchedAt === manifest?.fetchedAt) return
    await pins?.reload()
    const isSame = manifest !== undefined && JSON.stringify(next.tools) === JSON.stringify([...tools.values()])
    manifest = next
    if (isSame) return
    setTools(next.tools)
    listeners.tell()
  }
  const unfollow = store.isShared === true ? store.watch?.(manifestName(key), () => void follow()) : undefined

  const known = {
    /** Reads the manifest from the store, once. */
    load(): Promise<void> {
      loading ??= (async () => {
        try {
          const pinned = pins?.load()
          manifest = await loadManifest(store, key)
          await pinned
          if (manifest !== undefined) setTools(manifest.tools)
          else if (await hasManifest(store, key)) {
            onProblem('its cached tools were written by another version of Toolcrib, so they are fetched again')
          }
        } catch (error) {
          onProblem(`its manifest could not be read: ${messageOf(error)}`)
        }
      })()
      return loading
    },
    get manifest() {
      return manifest
    },
    /** True if there is no manifest, and the configuration declares no tools. */
    get isUnknown() {
      return manifest === undefined && entries.length === 0
    },
    /** True if the tools are unknown, or with `withSchemas` also if the schema of a tool is unknown. */
    isMissing: (withSchemas: boolean) =>
      known.isUnknown || (withSchemas && entries.some((entry) => entry.isSchemaUnknown)),
    get entries() {
      return entries
    },
    tool: (name: string) => tools.get(name),
    /** The difference between a tool and its pin, if its call must be refused. */
    blockedChange(name: string): ToolChange | undefined {
      const change = changes.get(name)
      return change?.isBlocked === true ? change : undefined
    },
    /** True if calls of changed tools are refused. Each start must then list the tools before the first call. */
    refusesChanges: pins !== undefined && pinning === 'block',
    /** Replaces the tools with those that a session has listed. Resolves when the manifest is saved. */
    async take(session: DescribedSession, { tools: cleaned, sent, problems }: ToolList) {
      const hashes = await pins?.check(sent)
      const listed =
        hashes === undefined ? cleaned : cleaned.map((tool) => ({ ...tool, pin: hashes.get(tool.name) ?? '' }))
      const isFirst = manifest === undefined
      const listedChanges = listed.map(({ name, pin }) => pins?.changeOf(name, pin))
      const isSame =
        !isFirst &&
        JSON.stringify(listed) === JSON.stringify([...tools.values()]) &&
        JSON.stringify(listedChanges) === JSON.stringify(entries.map(({ change }) => change))
      if (!isSame) setTools(listed)
      const asks = hasAsked || manifest?.asks === true ? { asks: true } : {}
      const described = { ...describeSession(session, manifest, now()), ...asks }
      const saved = saveAsCurrent({ ...described, configHash: key, tools: listed, problems })
      // Listeners are notified before the manifest is saved, so that callers do not wait for the disk.
      if (!isSame) listeners.tell()
      await saved
    },
    /**
     * Runs `work`, which starts the server and lists its tools. If gateways share the store, one of them runs it at a
     * time. Another waits up to `LISTING_WAIT_MS`, takes over a saved list, and runs `work` only if `isNeeded` still
     * returns true.
     */
    async listInTurn(isNeeded: () => boolean, work: () => Promise<unknown>) {
      if (store.isShared !== true || store.lock === undefined) return void (await work())
      await store.lock(`listing/${key}`, { waitMs: LISTING_WAIT_MS, ttlMs: LISTING_LOCK_MS }, async () => {
        await follow()
        if (isNeeded()) await work()
      })
    },
    /** True if one of the gateways that share the store has listed the server within the last minute. */
    get isJustListed() {
      return store.isShared === true && manifest !== undefined && now() - manifest.fetchedAt < JUST_LISTED_MS
    },
    /** Records that the server has sent a request to a client. */
    noteAsk() {
      hasAsked = true
      if (manifest !== undefined && manifest.asks !== true) void saveAsCurrent({ ...manifest, asks: true })
    },
    onChange: listeners.add,
    dispose() {
      pins?.dispose()
      unfollow?.()
      listeners.clear()
    },
  }
  return known
}

/** The fields of a manifest that describe the server itself. `before`: the manifest until this session listed tools. */
function describeSession(session: DescribedSession, before: Manifest | undefined, now: number) {
  const { serverInfo, instructions, capabilities, era, isEraAssumed } = session
  const { about, warnings } = cleanAbout(defined({ serverInfo, instructions }))
  return {
    fetchedAt: now,
    era,
    // An assumed era keeps its date, so that it is determined again when it is too old.
    eraAt: isEraAssumed ? (before?.era === era ? before.eraAt : 0) : now,
    ...about,
    ...(warnings.length === 0 ? {} : { warnings }),
    capabilities,
  }
}

/** The tools that the configuration declares for the time before the server has listed its own. */
function declaredTools({ tools = [] }: ServerConfig): readonly UpstreamTool[] {
  return checkTools(tools.map((tool) => ({ ...tool, inputSchema: tool.inputSchema ?? { type: 'object' } }))).tools
}
