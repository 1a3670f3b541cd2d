// The interface of a configured MCP server as a source.

import type { SourceInfo, ToolSource } from '../source.ts'
import type { CallOutcome } from './call-outcome.ts'
import type { RequestContext } from './caller.ts'
import type { StartEnvironment } from './environment.ts'
import type { ServerState } from './lifecycle.ts'
import type { Manifest } from './manifest.ts'
import type { ServerNews } from './session.ts'

export interface UpstreamSource extends ToolSource {
  readonly remedy: string | undefined
  info(): SourceInfo
  onChange(listener: () => void): () => void
  state(): ServerState
  /** The cached description of the server. */
  manifest(): Promise<Manifest | undefined>
  /** Starts the server and fetches its list. Rejects with the reason if that fails. */
  ensure(signal: AbortSignal): Promise<void>
  /** Like `ensure`, but always fetches a new description. */
  refresh(signal: AbortSignal): Promise<Manifest>
  /** Fetches the list again in the background if the cached one is too old. */
  revalidate(): void
  /**
   * Sends another request (prompts, resources) and returns the unchanged answer. Rejects if the server cannot start.
   * With the context of a client request, the server may send requests and messages to that client.
   */
  request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    context?: RequestContext,
  ): Promise<CallOutcome>
  /** Subscribes to a resource, or ends the subscription. It lasts as long as the server runs. */
  watch(uri: string, signal: AbortSignal): Promise<CallOutcome>
  unwatch(uri: string, signal: AbortSignal): Promise<CallOutcome>
  /** Notifies a running server that the roots have changed. */
  rootsChanged(): Promise<void>
  /** Notifications of the server that do not belong to a call. */
  onNews(listener: (news: ServerNews) => void): () => void
  /** The environment of its last start. Undefined before the first start. */
  environment(): StartEnvironment | undefined
  /** The protocol version that was agreed with the running server. Undefined if it does not run. */
  protocolVersion(): string | undefined
  /** The end of the server's output on stderr. */
  stderr(): string
  /** Stops the server. It is started again when it is needed. */
  stop(): Promise<void>
}
