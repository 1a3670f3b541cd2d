// Compares the tools of a server with their pins when the server has listed them. A call only reads the result.

import type { ServerConfig } from '../../../config/server-config.ts'
import { inSlices } from '../../../core/collections.ts'
import { messageOf } from '../../../core/text.ts'
import type { ToolChange } from '../../../core/tool.ts'
import type { Store } from '../../../storage/store.ts'
import {
  changedParts,
  connectionHash,
  formOf,
  PINS_PREFIX,
  type PinRecord,
  pinsKey,
  readForm,
  readRecord,
  recordAfter,
  type SentFields,
  type ToolForm,
  type ToolPin,
} from './pin-record.ts'

/** Changed tools are marked (`warn`), refused until the user approves them (`block`), or not detected (`off`). */
export type Pinning = 'warn' | 'block' | 'off'

interface ServerPinsOptions {
  readonly config: Pick<ServerConfig, 'name' | 'connection'>
  readonly pinning: Pinning
  /** Keeps the pins. Several gateways share them. */
  readonly store: Store
  readonly now: () => number
  /** Called when another process has changed the pins, for example with an approval. */
  onChange(): void
  onProblem(reason: string): void
}

/** Pins that cannot be read must not count as missing: a new pin of each tool would approve every change. */
const STRICT = { isStrict: true }

export function createServerPins(options: ServerPinsOptions) {
  const { config, pinning, store, now, onChange, onProblem } = options
  if (pinning === 'off') return undefined
  const key = pinsKey(config)
  const about = { server: config.name, connection: connectionHash(config) }
  let record: PinRecord | undefined
  let byName: ReadonlyMap<string, ToolPin> = new Map()
  /** True if the pins cannot be read and no earlier pins are known. With `block`, all tools are then refused. */
  let isUnreadable = false
  let loading: Promise<void> | undefined
  let stopWatching: (() => void) | undefined

  const setRecord = (next: PinRecord | undefined) => {
    record = next
    byName = new Map(next?.tools.map((pin) => [pin.name, pin]))
  }
  const setUnreadable = (error: unknown) => {
    isUnreadable = record === undefined
    onProblem(`its pins could not be read: ${messageOf(error)}`)
  }
  const read = async () => {
    try {
      const stored = await store.get(key, STRICT)
      setRecord(readRecord(stored))
      isUnreadable = false
      if (stored !== undefined && record === undefined) {
        onProblem(
          'its pins are damaged or from another version of Toolcrib; its tools are pinned again as they are now',
        )
      }
    } catch (error) {
      setUnreadable(error)
    }
  }
  /** Takes over the pins of an old name of the server. If the store fails, the tools are not pinned. */
  const readOldName = async () => {
    try {
      setRecord(await findPinsOfOldName(store, about))
    } catch (error) {
      setUnreadable(error)
    }
  }
  /** Watches the store only while a tool waits for an approval. */
  const watch = () => {
    const hasUnapproved = record?.tools.some(({ seen }) => seen !== undefined) === true
    if (!hasUnapproved) {
      stopWatching?.()
      stopWatching = undefined
    } else {
      stopWatching ??= store.watch?.(key, () => {
        void read().then(() => {
          onChange()
          watch()
        })
      })
    }
  }

  return {
    /** Reads the pins, once. */
    load() {
      loading ??= read().then(watch)
      return loading
    },
    /** Reads the pins again, because another gateway has listed the server and compared the list. */
    reload: () => read().then(watch),
    /** Compares a list with the pins and keeps the result. Returns the hash of each tool. */
    async check(sent: ReadonlyMap<string, SentFields>): Promise<ReadonlyMap<string, string>> {
      const forms = new Map<string, ToolForm>()
      await inSlices(sent, ([name, tool]) => forms.set(name, formOf(tool)))
      // The pins are read again, because another gateway may have changed them.
      await read()
      if (record === undefined && !isUnreadable) await readOldName()
      const next = isUnreadable ? undefined : recordAfter(record, about, forms, now())
      if (next !== undefined && next !== record) {
        setRecord(next)
        await store.set(key, next).catch((error) => onProblem(`its pins could not be saved: ${messageOf(error)}`))
      }
      watch()
      return new Map([...forms].map(([name, { hash }]) => [name, hash]))
    },
    /** The change of a tool with this hash, as far as it is known. */
    changeOf(name: string, hash: string | undefined): ToolChange | undefined {
      const isBlocked = pinning === 'block'
      if (isUnreadable) return isBlocked ? { kind: 'unknown', isBlocked } : undefined
      if (record === undefined || hash === undefined) return undefined
      const pin = byName.get(name)
      if (pin?.pinned?.hash === hash) return undefined
      if (pin?.pinned === undefined) return { kind: 'new', isBlocked }
      const { pinned, seen } = pin
      const hasTexts = pinned.text !== undefined && seen?.text !== undefined && seen.hash === hash
      const parts = hasTexts ? changedParts(readForm(pinned.text ?? ''), readForm(seen.text ?? '')) : []
      return { kind: 'changed', isBlocked, ...(parts.length === 0 ? {} : { parts }) }
    },
    dispose() {
      stopWatching?.()
      stopWatching = undefined
    },
  }
}

/**
 * The pins of the same connection under another name, because a server with a new name keeps its pins. Ignores pins that
 * cannot be read: most likely they belong to another server.
 */
async function findPinsOfOldName(
  store: Store,
  { server, connection }: Pick<PinRecord, 'server' | 'connection'>,
): Promise<PinRecord | undefined> {
  for await (const key of store.keys(PINS_PREFIX)) {
    const record = readRecord(await store.get(key))
    if (record?.connection === connection && record.server !== server) return record
  }
  return undefined
}
