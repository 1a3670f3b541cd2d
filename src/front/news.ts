// Tells clients what they have asked to hear of: changed lists of tools, prompts and resources, resources they watch, logs.

import type { McpHttpHandler, Server } from '@modelcontextprotocol/server'
import type { Caller } from '../core/call.ts'
import type { FeatureKind, Roots } from '../crib/features.ts'
import type { FrontOptions } from './protocol-server.ts'
import { ANSWER_MS } from './server-requests.ts'
import type { Wants } from './wants.ts'

/** A client with a connection of its own. */
export interface Listener {
  readonly caller: Caller
  readonly wants: Wants
}

/** Until the function it gives back is called. */
export function tellChanges(server: Server, front: FrontOptions, { caller, wants }: Listener): () => void {
  const { crib, features } = front
  const tell = (told: Promise<void>) => void told.catch(front.onError)
  const isLegacy = caller.era === 'legacy'
  const clientName = isLegacy ? server.getClientVersion()?.name : undefined
  const client = clientName === undefined ? caller : { ...caller, clientName }
  const stops = [
    crib.onListChanged(client, () => tell(server.sendToolListChanged())),
    features?.onChange((kind) =>
      tell(kind === 'prompts' ? server.sendPromptListChanged() : server.sendResourceListChanged()),
    ),
    features?.updates?.onUpdate((uri) => {
      if (wants.watches(uri)) tell(server.sendResourceUpdated({ uri }))
    }),
    // Modern clients hear logs only of their own requests. At an address nobody hears what may be about another's.
    isLegacy && caller.transport !== 'http'
      ? features?.logs?.onMessage((message) => {
          if (wants.admits(message.level)) tell(server.sendLoggingMessage(message))
        })
      : undefined,
    caller.transport === 'http' ? undefined : relayRoots(server, features?.roots, isLegacy),
  ]
  return () => {
    for (const stop of stops) stop?.()
    wants.end()
  }
}

/** Like logs, only where there is one client: at an address nobody knows whose roots a server means between calls. */
function relayRoots(server: Server, roots: Roots | undefined, isLegacy: boolean): (() => void) | undefined {
  // A modern client is asked within its calls alone.
  if (!isLegacy || server.getClientCapabilities()?.roots === undefined) return roots?.attach()
  server.setNotificationHandler('notifications/roots/list_changed', () => roots?.changed())
  return roots?.attach((signal) => server.listRoots(undefined, { signal, timeout: ANSWER_MS }))
}

/** The same once a legacy client has said who it is: before that it must not be told anything. */
export function tellOnceInitialized(server: Server, front: FrontOptions, listener: Listener): () => void {
  let stopTelling = () => listener.wants.end()
  let isTelling = false
  server.oninitialized = () => {
    if (isTelling) return
    isTelling = true
    stopTelling = tellChanges(server, front, listener)
  }
  return () => {
    server.oninitialized = () => {}
    stopTelling()
  }
}

/** All modern clients over HTTP that have asked to be told; of tools, their principal's subscribers are. */
export function tellSubscribers(notify: McpHttpHandler['notify'], { features }: FrontOptions): () => void {
  const tell = (kind: FeatureKind) => (kind === 'prompts' ? notify.promptsChanged() : notify.resourcesChanged())
  const stops = [features?.onChange(tell), features?.updates?.onUpdate((uri) => notify.resourceUpdated(uri))]
  return () => {
    for (const stop of stops) stop?.()
  }
}
