// Tells clients what they have asked to hear of: changed lists of tools, prompts and resources, resources they watch, logs.

import type { McpHttpHandler, Server } from '@modelcontextprotocol/server'
import type { Era } from '../core/call.ts'
import type { FeatureKind } from '../crib/features.ts'
import type { FrontOptions } from './protocol-server.ts'
import type { Wants } from './wants.ts'

/** A client with a connection of its own; until the function it gives back is called. */
export function tellChanges(server: Server, front: FrontOptions, wants: Wants, era: Era = 'legacy'): () => void {
  const { features } = front
  const tell = (told: Promise<void>) => void told.catch(front.onError)
  const stops = [
    onChanges(front, (kind) => {
      if (kind === 'tools') tell(server.sendToolListChanged())
      else tell(kind === 'prompts' ? server.sendPromptListChanged() : server.sendResourceListChanged())
    }),
    features?.updates?.onUpdate((uri) => {
      if (wants.watches(uri)) tell(server.sendResourceUpdated({ uri }))
    }),
    // Modern clients hear logs only of their own requests.
    era === 'legacy'
      ? features?.logs?.onMessage((message) => {
          if (wants.admits(message.level)) tell(server.sendLoggingMessage(message))
        })
      : undefined,
  ]
  return () => {
    for (const stop of stops) stop?.()
    wants.end()
  }
}

/** All modern clients over HTTP that have asked to be told. */
export function tellSubscribers(notify: McpHttpHandler['notify'], front: FrontOptions): () => void {
  const stops = [
    onChanges(front, (kind) => {
      if (kind === 'tools') notify.toolsChanged()
      else if (kind === 'prompts') notify.promptsChanged()
      else notify.resourcesChanged()
    }),
    front.features?.updates?.onUpdate((uri) => notify.resourceUpdated(uri)),
  ]
  return () => {
    for (const stop of stops) stop?.()
  }
}

function onChanges({ crib, features }: FrontOptions, tell: (kind: 'tools' | FeatureKind) => void): () => void {
  const stops = [crib.onListChanged(() => tell('tools')), features?.onChange(tell)]
  return () => {
    for (const stop of stops) stop?.()
  }
}
