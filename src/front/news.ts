// Tells clients that what they were listed has changed: tools, prompts, resources.

import type { McpHttpHandler, Server } from '@modelcontextprotocol/server'
import type { Caller } from '../core/call.ts'
import type { FeatureKind } from '../crib/features.ts'
import type { FrontOptions } from './protocol-server.ts'

/** A client with a connection of its own; until the function it gives back is called. */
export function tellChanges(server: Server, front: FrontOptions, caller: Caller): () => void {
  const tell = (told: Promise<void>) => void told.catch(front.onError)
  const clientName = caller.era === 'legacy' ? server.getClientVersion()?.name : undefined
  const client = clientName === undefined ? caller : { ...caller, clientName }
  const stops = [
    front.crib.onListChanged(client, () => tell(server.sendToolListChanged())),
    front.features?.onChange((kind) =>
      tell(kind === 'prompts' ? server.sendPromptListChanged() : server.sendResourceListChanged()),
    ),
  ]
  return () => {
    for (const stop of stops) stop?.()
  }
}

/** The same once a legacy client has said who it is: before that it must not be told anything. */
export function tellOnceInitialized(server: Server, front: FrontOptions, caller: Caller): () => void {
  let stopTelling = () => {}
  server.oninitialized = () => {
    stopTelling()
    stopTelling = tellChanges(server, front, caller)
  }
  return () => {
    server.oninitialized = () => {}
    stopTelling()
  }
}

/** All modern clients over HTTP that have asked to be told; of tools, their principal's subscribers are. */
export function tellSubscribers(notify: McpHttpHandler['notify'], { features }: FrontOptions): () => void {
  const tell = (kind: FeatureKind) => (kind === 'prompts' ? notify.promptsChanged() : notify.resourcesChanged())
  return features?.onChange(tell) ?? (() => {})
}
