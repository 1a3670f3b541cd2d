// The options that all front doors share.

import type { Implementation } from '@modelcontextprotocol/server'
import type { Caller } from '../core/call.ts'
import type { Crib } from '../crib/crib.ts'
import type { Features } from '../crib/features.ts'
import type { Store } from '../storage/store.ts'
import type { Activity } from './activity.ts'
import type { ClientInterest } from './client-interest.ts'
import type { FleetLink } from './fleet.ts'
import type { ParkedCalls } from './long-call.ts'

/** One tool call of a client, for the `tool:call` event of a server. */
export interface ToolCallEvent {
  /** The name that the client called. */
  readonly tool: string
  /** The client that made the call. */
  readonly caller: Caller
  /** Whether the call succeeded. */
  readonly success: boolean
  /** The code of the error. Absent on success. */
  readonly errorCode?: string
  /** The duration in milliseconds. */
  readonly durationMs: number
}

export interface FrontOptions {
  readonly crib: Crib
  readonly activity: Activity
  /** Prompts and resources. Default: none. */
  readonly features?: Features
  /** Called for every tools/call, including calls of the strategy's own tools. */
  onToolCall(event: ToolCallEvent): void
  onError(error: Error): void
  /** The state of the gateway, if other gateways share it. */
  readonly shared?: Store
  /** Parts of the gateway that do not work as they should, for /ready. */
  degraded?(): readonly string[]
  /** For a server that wraps another one: the identity of the wrapped server. */
  readonly identity?: Implementation
  /** Replaces the instructions of the crib. An empty text sends none. */
  readonly instructions?: string
}

/** The options that a door adds. */
export interface DoorOptions extends FrontOptions {
  /**
   * Calls of modern clients that wait for answers. All requests share them: each modern request has its own Server, and
   * a call can outlive it.
   */
  readonly parked: ParkedCalls
  /** Set if other gateways share the store: they continue the calls of each other. */
  readonly fleet?: FleetLink | undefined
  /**
   * Notifies the modern subscribers of a principal that one of its calls has changed the list of tools. Set over HTTP,
   * where a subscription has another response than the call.
   */
  onToolsChanged?(principal: string): void
  /** The subscriptions and log level of a client that has a connection or a session of its own. */
  readonly interest?: ClientInterest
}
