// Sends notifications to the client of one connection or session: changed lists, updates of resources, and logs.

import type { Server } from '@modelcontextprotocol/server'
import { type Caller, isOneOfMany } from '../core/call.ts'
import type { Roots } from '../crib/features.ts'
import type { ClientInterest } from './client-interest.ts'
import type { FrontOptions } from './front-options.ts'
import { ANSWER_MS } from './server-requests.ts'

/** A client that has a connection or a session of its own. */
interface NotifiedClient {
  readonly caller: Caller
  readonly interest: ClientInterest
}

/** Sends notifications to one client until the returned function is called. */
export function notifyClient(server: Server, front: FrontOptions, { caller, interest }: NotifiedClient): () => void {
  const { crib, features } = front
  const reportFailure = (sending: Promise<void>) => void sending.catch(front.onError)
  const isLegacy = caller.era === 'legacy'
  const isShared = isOneOfMany(caller)
  const clientName = isLegacy ? server.getClientVersion()?.name : undefined
  const client = clientName === undefined ? caller : { ...caller, clientName }
  const stops = [
    crib.onListChanged(client, () => reportFailure(server.sendToolListChanged())),
    features?.onChange((kind) =>
      reportFailure(kind === 'prompts' ? server.sendPromptListChanged() : server.sendResourceListChanged()),
    ),
    features?.updates?.onUpdate((uri) => {
      if (interest.watches(uri)) reportFailure(server.sendResourceUpdated({ uri }))
    }),
    // Modern clients get only logs of their own requests. With several clients, a log could belong to another client.
    isLegacy && !isShared
      ? features?.logs?.onMessage((message) => {
          if (interest.admits(message.level)) reportFailure(server.sendLoggingMessage(message))
        })
      : undefined,
    isShared ? undefined : relayRoots(server, features?.roots, isLegacy),
  ]
  return () => {
    for (const stop of stops) stop?.()
    interest.end()
  }
}

/**
 * Makes the roots of the client available between calls. Only for a gateway with one client: with several, it is
 * unknown which client to ask.
 */
function relayRoots(server: Server, roots: Roots | undefined, isLegacy: boolean): (() => void) | undefined {
  // A modern client can be asked only during its calls.
  if (!isLegacy || server.getClientCapabilities()?.roots === undefined) return roots?.attach()
  server.setNotificationHandler('notifications/roots/list_changed', () => roots?.changed())
  return roots?.attach((signal) => server.listRoots(undefined, { signal, timeout: ANSWER_MS }))
}

/**
 * Starts the notifications when a legacy client sends `initialized`. Before that, the protocol recommends that a server
 * sends only pings and logs.
 */
export function notifyAfterInitialized(server: Server, front: FrontOptions, client: NotifiedClient): () => void {
  let stopNotifying = () => client.interest.end()
  server.oninitialized = () => {
    // A client may send `initialized` more than once.
    server.oninitialized = () => {}
    stopNotifying = notifyClient(server, front, client)
  }
  return () => {
    server.oninitialized = () => {}
    stopNotifying()
  }
}
