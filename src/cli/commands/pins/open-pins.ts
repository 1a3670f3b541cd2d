// Opens the stored pins of the configured servers.

import type { LoadedConfig } from '../../../config/load/load.ts'
import type { ServerConfig } from '../../../config/server-config.ts'
import { storeOf } from '../../../config/store-setting.ts'
import { raise } from '../../../core/errors.ts'
import { findSimilarTools } from '../../../core/similarity.ts'
import { loadValid } from '../../../setup/load-config.ts'
import {
  changedParts,
  type PinRecord,
  pinsKey,
  readForm,
  readRecord,
  type ToolPin,
} from '../../../sources/upstream/pins/pin-record.ts'
import { storeOpener } from '../../../storage/open-stores.ts'
import type { Store } from '../../../storage/store.ts'
import { LIST_SERVERS } from '../../output/error-for-people.ts'
import type { Work } from '../../output/work.ts'

export interface ServerRecord {
  readonly server: ServerConfig
  /** Undefined if no tool of the server has been pinned. */
  readonly record: PinRecord | undefined
}

interface OpenPins {
  readonly loaded: LoadedConfig
  readonly store: Store
  /** `only`: a server, or a server and a tool. Fails if the configuration has no such server. */
  read(only?: string): Promise<{ readonly servers: readonly ServerRecord[]; readonly tool: string | undefined }>
  [Symbol.asyncDispose](): Promise<void>
}

export async function openPins(work: Work): Promise<OpenPins> {
  const { environment, output } = work
  const loaded = await loadValid(work)
  const { servers } = loaded
  const onProblem = ({ message }: { readonly message: string }) => output.note(message)
  const store = storeOpener(storeOf(loaded), environment, onProblem)('state')
  return {
    loaded,
    store,
    async read(only) {
      const named = only === undefined ? undefined : findNamed(only, servers)
      const chosen = named === undefined ? servers : [named.server]
      const records = chosen.map(async (server) => ({ server, record: readRecord(await store.get(pinsKey(server))) }))
      return { servers: await Promise.all(records), tool: named?.tool }
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

export interface PinChange {
  readonly tool: string
  readonly change: 'changed' | 'new'
  readonly parts?: readonly string[]
  /** When the present form was first seen. */
  readonly since: string
}

/** Undefined if the tool has its approved form. */
export function changeOf({ name, pinned, seen }: ToolPin): PinChange | undefined {
  if (seen === undefined) return undefined
  const since = new Date(seen.at).toISOString()
  if (pinned === undefined) return { tool: name, change: 'new', since }
  const hasTexts = pinned.text !== undefined && seen.text !== undefined
  const parts = hasTexts ? changedParts(readForm(pinned.text ?? ''), readForm(seen.text ?? '')) : []
  return { tool: name, change: 'changed', ...(parts.length === 0 ? {} : { parts }), since }
}

/** Finds `server`, `server/tool` or `server:tool`. If several server names match, the longest one is used. */
function findNamed(
  only: string,
  servers: readonly ServerConfig[],
): { readonly server: ServerConfig; readonly tool?: string } {
  const matching = servers.filter(
    ({ name }) => only === name || [`${name}/`, `${name}:`].some((start) => only.startsWith(start)),
  )
  const [server] = matching.toSorted((a, b) => b.name.length - a.name.length)
  if (server === undefined) {
    const name = /^[^/:]*/.exec(only)?.[0] ?? only
    const similar = findSimilarTools(
      name,
      servers.map((one) => one.name),
    )
    return raise('SERVER_NOT_FOUND', { server: name, similar, list: LIST_SERVERS })
  }
  return only === server.name ? { server } : { server, tool: only.slice(server.name.length + 1) }
}

/** Fails if a named tool has no pin. */
export function requireTool({ server, record }: ServerRecord, tool: string | undefined): void {
  if (tool === undefined || record?.tools.some(({ name }) => name === tool) === true) return
  const similar = findSimilarTools(tool, record?.tools.map(({ name }) => name) ?? [])
  raise('TOOL_NOT_FOUND', { name: tool, server: server.name, similar, find: '`toolcrib pins list`' })
}
