// Tells clients that what they were listed has changed: tools, prompts, resources.

import type { McpHttpHandler, Server } from '@modelcontextprotocol/server'
import type { FeatureKind } from '../crib/features.ts'
import type { FrontOptions } from './protocol-server.ts'

/** A client with a connection of its own; until the function it gives back is called. */
export function tellChanges(server: Server, front: FrontOptions): () => void {
  const tell = (told: Promise<void>) => void told.catch(front.onError)
  return onChanges(front, (kind) => {
    if (kind === 'tools') tell(server.sendToolListChanged())
    else tell(kind === 'prompts' ? server.sendPromptListChanged() : server.sendResourceListChanged())
  })
}

/** All modern clients over HTTP that have asked to be told. */
export function tellSubscribers(notify: McpHttpHandler['notify'], front: FrontOptions): () => void {
  return onChanges(front, (kind) => {
    if (kind === 'tools') notify.toolsChanged()
    else if (kind === 'prompts') notify.promptsChanged()
    else notify.resourcesChanged()
  })
}

function onChanges({ crib, features }: FrontOptions, tell: (kind: 'tools' | FeatureKind) => void): () => void {
  const stops = [crib.onListChanged(() => tell('tools')), features?.onChange(tell)]
  return () => {
    for (const stop of stops) stop?.()
  }
}
