// Calls an upstream tool: starts the server if necessary, sends the call once, and returns the result or a failure.

import type { ServerConfig } from '../../config/server-config.ts'
import type { CommandContext, LogLevel } from '../../core/call.ts'
import { fail } from '../../core/errors.ts'
import { type FailureResult, success } from '../../core/result.ts'
import { isRecord } from '../../core/schema.ts'
import { findSimilarTools } from '../../core/similarity.ts'
import type { ToolEntry, ToolResult } from '../../core/tool.ts'
import type { CallOutcome } from './call-outcome.ts'
import { createClock } from './clock.ts'
import { isRepeatable } from './entry.ts'
import { type Lifecycle, NotRunning } from './lifecycle.ts'
import type { Listing } from './listing.ts'
import type { Session } from './session.ts'
import type { UpstreamSettings } from './settings.ts'
import { remedyFor } from './start-failure.ts'
import { toFailure, unavailable } from './to-failure.ts'
import { toResult } from './to-result.ts'
import type { UpstreamTool } from './tool-list.ts'

export interface CallerOptions {
  readonly config: ServerConfig
  readonly settings: UpstreamSettings
  readonly listing: Listing
  readonly lifecycle: Lifecycle<Session>
  /** Resolves with a session after the list of tools is known. */
  ensure(signal: AbortSignal): Promise<Session>
  /** The advice for a server that cannot be started, if `toolcrib doctor` does not know the server. */
  readonly remedy?: string | undefined
  stderr(): string
  /** Called before each call is sent. */
  onCall(): void
}

export interface UpstreamCaller {
  /** Rejects only for a tool that the server does not have. */
  call(name: string, input: unknown, context: CommandContext): Promise<ToolResult>
  /** Starts the server and returns the entry of a tool as the server lists it. */
  describe(name: string, context: CommandContext): Promise<ToolEntry | FailureResult>
  /** Sends another request in a running session. */
  request(session: Session, asked: FeatureRequest, context: RequestContext): Promise<CallOutcome>
}

export interface FeatureRequest {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The part of a client request that applies to every method. */
export type RequestContext = Pick<CommandContext, 'caller' | 'signal'> &
  Partial<Pick<CommandContext, 'progress' | 'log' | 'logLevel' | 'onServerRequest' | 'relay'>>

interface Call {
  readonly tool: UpstreamTool
  readonly args: Readonly<Record<string, unknown>>
  readonly context: CommandContext
}

type Started = { readonly session: Session } | { readonly failure: FailureResult }

/** When to try again if the server is still starting. */
const STILL_STARTING_MS = 5_000
/** Legacy servers never send a requestState, so it does not come from this server. */
const NO_STATE = { kind: 'refused', reason: 'it has given no requestState', rpcCode: -32_602 } as const

export function createCaller(options: CallerOptions): UpstreamCaller {
  const { config, settings, listing, lifecycle, remedy } = options
  const server = config.name
  let lastCall = 0

  const startFor = async (name: string, { signal }: CommandContext): Promise<Started> => {
    // The most common case: the server is running, so there is nothing to wait for.
    if (lifecycle.running !== undefined && listing.manifest !== undefined) return { session: lifecycle.running }
    const patience = createClock({ signal, timeoutMs: settings.startWaitMs })
    try {
      return { session: await options.ensure(patience.signal) }
    } catch (error) {
      if (signal.aborted) return { failure: fail('CANCELLED', { name }, { details: { server, tool: name } }) }
      if (patience.exceededMs !== undefined) {
        return { failure: unavailable({ server, tool: name, remedy }, 'it is still starting', STILL_STARTING_MS) }
      }
      const reason = error instanceof Error ? error.message : String(error)
      const needed = remedyFor(error)
      if (needed !== undefined) return { failure: unavailable({ server, tool: name, remedy: needed }, reason) }
      const retryAfterMs = error instanceof NotRunning ? error.retryAfterMs : 0
      return { failure: unavailable({ server, tool: name, remedy }, reason, retryAfterMs) }
    } finally {
      patience.stop()
    }
  }

  const send = (session: Session, { tool, args, context }: Call): Promise<CallOutcome> => {
    options.onCall()
    return lifecycle.use(session, () =>
      session.call({
        ...wayOf(context),
        method: 'tools/call',
        params: { name: tool.name, arguments: args },
        inputSchema: tool.inputSchema,
      }),
    )
  }
  /** The options that every request of this client has. */
  const wayOf = (context: RequestContext) => {
    const { caller, onServerRequest, relay, logLevel } = context
    return {
      signal: context.signal,
      timeoutMs: settings.callTimeoutMs,
      maxMs: settings.maxCallMs,
      // Only a client with a session can be asked outside its own call.
      client:
        caller.era === 'legacy'
          ? JSON.stringify([caller.principal, caller.transport, caller.sessionId ?? ''])
          : `call ${++lastCall}`,
      // Over HTTP another client may call next, so the roots of this client are not the roots of the server.
      isOnlyClient: caller.transport !== 'http',
      ...(onServerRequest === undefined ? {} : { ask: onServerRequest }),
      ...(caller.capabilities === undefined ? {} : { capabilities: caller.capabilities }),
      ...(relay === undefined ? {} : { relay }),
      ...(logLevel === undefined ? {} : { logLevel }),
      progress: (done: number, total?: number, message?: string) => context.progress?.(done, total, message),
      // The levels of the protocol are the same as ours.
      log: (level: string, data: unknown, logger?: string) => context.log?.(level as LogLevel, data, logger),
    }
  }

  const attempt = async (call: Call, mayRepeat: boolean): Promise<ToolResult> => {
    const { tool, context } = call
    const started = await startFor(tool.name, context)
    if ('failure' in started) return started.failure
    const { session } = started
    const failed = {
      server,
      tool: tool.name,
      remedy,
      get stderr() {
        return options.stderr()
      },
    }
    if (session.era === 'legacy' && context.relay?.state !== undefined) return toFailure(failed, NO_STATE)
    const outcome = await send(session, call)
    // The relay has the questions. This result only ends the call for now.
    if (outcome.kind === 'asked') return success(null)
    if (outcome.kind === 'answered') return toResult(server, tool.name, outcome.result, outcome.declined)
    if (outcome.kind !== 'lost') return toFailure(failed, outcome)
    if (outcome.isSessionOver) await lifecycle.drop(session, outcome.reason)
    if (mayRepeat && (!outcome.taken || isRepeatable(tool))) return attempt(call, false)
    // A process reports how it ended. Other connections know only that they are closed.
    const isProcess = config.connection.type === 'stdio' && outcome.isSessionOver
    return toFailure(failed, isProcess ? { ...outcome, reason: await session.closed } : outcome)
  }

  return {
    async call(name, input = {}, context) {
      await listing.load()
      if (listing.entries.length === 0) {
        const started = await startFor(name, context)
        if ('failure' in started) return started.failure
      }
      const tool = listing.tool(name)
      if (tool === undefined) throw new Error(`The server '${server}' has no tool '${name}'.`)
      if (!isRecord(input)) throw new Error(`The arguments of '${name}' are no object.`)
      return attempt({ tool, args: input, context }, true)
    },
    async describe(name, context) {
      const started = await startFor(name, context)
      if ('failure' in started) return started.failure
      const entry = listing.entries.find((one) => one.name === name)
      if (entry !== undefined) return entry
      const similar = findSimilarTools(
        name,
        listing.entries.map((one) => one.name),
      )
      return fail('TOOL_NOT_FOUND', { name, server, similar, find: 'its list of tools' })
    },
    async request(session, { method, params }, context) {
      if (session.era === 'legacy' && context.relay?.state !== undefined) return NO_STATE
      return session.call({ ...wayOf(context), method, params })
    },
  }
}
