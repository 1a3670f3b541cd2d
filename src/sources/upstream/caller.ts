// Calls an upstream tool: starts the server if necessary, sends the call, and returns the result or a failure.

import { kindOf } from '../../config/connection-kinds.ts'
import { type CommandContext, callerKey } from '../../core/call.ts'
import { fail } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { type FailureResult, success } from '../../core/result.ts'
import { findSimilarTools } from '../../core/similarity.ts'
import type { StopSignal } from '../../core/stop-signal.ts'
import { messageOf } from '../../core/text.ts'
import type { JsonSchema, ToolEntry, ToolResult } from '../../core/tool.ts'
import { type LoginRequired, loginRequiredIn } from './auth/login-errors.ts'
import type { CallOutcome } from './call-outcome.ts'
import { Clock } from './clock.ts'
import { isRepeatable } from './entry.ts'
import { NotRunning } from './lifecycle.ts'
import type { UpstreamServer } from './running-server.ts'
import type { Session } from './session.ts'
import type { CallRequest, ClientCall } from './session-call.ts'
import { remedyFor } from './start-failure.ts'
import type { SessionStarter } from './start-session.ts'
import { changedFailure, loginFailure, toFailure, toResult, unavailable } from './to-result.ts'
import type { UpstreamTool } from './tool-list.ts'
import type { RequestContext, SourceParts } from './upstream.ts'

interface CallerOptions extends SourceParts {
  readonly starter: SessionStarter
  readonly server: UpstreamServer
}

type FeatureRequest = Pick<CallRequest, 'method' | 'params'>

interface Call {
  readonly tool: UpstreamTool
  readonly args: Readonly<Record<string, unknown>>
  readonly context: CommandContext
  readonly signal: StopSignal
}

type Started = { readonly session: Session } | { readonly failure: FailureResult }

/** When to try again if the server is still starting. */
const STILL_STARTING_MS = 5_000
/** The outcome of a request with a `requestState` to a legacy server. Only modern servers send a `requestState`. */
const NO_STATE = { kind: 'refused', reason: 'it has never sent a requestState', rpcCode: -32_602 } as const

export function createCaller(options: CallerOptions) {
  const { given, settings, listing, login, starter } = options
  const { config, remedy } = given
  const { known } = listing
  const { lifecycle, noteCall } = options.server
  const server = config.name
  let lastCall = 0
  const { runningSession, startFor } = createCallStarts(options)

  const send = (session: Session, { tool, args, context, signal }: Call): Promise<CallOutcome> => {
    noteCall()
    const params = { name: tool.name, arguments: args }
    return lifecycle.use(session, () =>
      session.call(requestOf({ method: 'tools/call', params }, context, signal, tool.inputSchema)),
    )
  }
  const requestOf = (
    { method, params }: FeatureRequest,
    call: ClientCall,
    signal: StopSignal,
    inputSchema?: JsonSchema,
  ): CallRequest => ({
    method,
    params,
    inputSchema,
    call,
    signal,
    // A legacy client has a session and can be asked outside its own call, so all of its calls have the same value.
    client: call.caller.era === 'legacy' ? callerKey(call.caller) : `call ${++lastCall}`,
    timeoutMs: settings.callTimeoutMs,
    maxMs: settings.maxCallMs,
  })

  const attempt = async (call: Call, mayRepeat: boolean): Promise<ToolResult> => {
    const { tool, context } = call
    let session = runningSession()
    if (session === undefined) {
      const started = await startFor(tool.name, call.signal, context)
      if ('failure' in started) return started.failure
      session = started.session
    }
    // A call of a changed tool is normally refused before it reaches this source. This call may have been accepted
    // before the server sent the list with the change.
    const change = known.blockedChange(tool.name)
    if (change !== undefined) return changedFailure(server, tool.name, change)
    const isForeignState = session.era === 'legacy' && context.relay?.state !== undefined
    const outcome = isForeignState ? NO_STATE : await send(session, call)
    // The questions are sent as the response, so this result is not used.
    if (outcome.kind === 'asked') return success(null)
    if (outcome.kind === 'answered') return toResult(server, tool.name, outcome.result, outcome.declined)
    const failed = {
      server,
      tool: tool.name,
      remedy,
      get stderr() {
        return starter.output.tail()
      },
    }
    // The server has refused the call before it ran, so it may be sent again.
    if (outcome.kind === 'login' && mayRepeat && (await login.offer(context, call.signal))) return attempt(call, false)
    if (outcome.kind !== 'lost') return toFailure(failed, outcome)
    if (outcome.isSessionOver) await lifecycle.drop(session, outcome.reason)
    if (mayRepeat && (!outcome.taken || isRepeatable(tool))) return attempt(call, false)
    // For a process, the reason is how it ended. Other connections know only that they are closed.
    const hasProcessEnded = kindOf(config.connection).isProcess && outcome.isSessionOver
    return toFailure(failed, hasProcessEnded ? { ...outcome, reason: await session.closed } : outcome)
  }

  /** Calls a tool that is not known yet: loads the cached list, or starts the server. Also refuses invalid input. */
  const findAndCall = async (
    name: string,
    input: unknown,
    context: CommandContext,
    signal: StopSignal,
  ): Promise<ToolResult> => {
    if (known.manifest === undefined) await known.load()
    if (known.entries.length === 0) {
      const started = await startFor(name, signal, context)
      if ('failure' in started) return started.failure
    }
    const tool = known.tool(name)
    if (tool === undefined) throw new Error(`The server '${server}' has no tool '${name}'.`)
    if (!isRecord(input)) throw new Error(`The arguments of '${name}' are not an object.`)
    return attempt({ tool, args: input, context, signal }, true)
  }

  return {
    /** Rejects only if the server does not have the tool, or if the input is not an object. */
    call(name: string, input: unknown = {}, context: CommandContext, signal: StopSignal): Promise<ToolResult> {
      const tool = known.manifest === undefined ? undefined : known.tool(name)
      if (tool === undefined || !isRecord(input)) return findAndCall(name, input, context, signal)
      // The usual case: the tool is known, so the list of tools is not loaded first.
      return attempt({ tool, args: input, context, signal }, true)
    },
    /** Starts the server and returns the entry of a tool as the server lists it. */
    async describe(name: string, context: CommandContext): Promise<ToolEntry | FailureResult> {
      const started = await startFor(name, context.signal, context)
      if ('failure' in started) return started.failure
      const entry = known.entries.find((one) => one.name === name)
      if (entry !== undefined) return entry
      const similar = findSimilarTools(
        name,
        known.entries.map((one) => one.name),
      )
      return fail('TOOL_NOT_FOUND', { name, server, similar, find: 'its list of tools' })
    },
    /** Sends a request that is not a call of a tool, in a running session. */
    async request(session: Session, asked: FeatureRequest, context: RequestContext): Promise<CallOutcome> {
      if (session.era === 'legacy' && context.relay?.state !== undefined) return NO_STATE
      return session.call(requestOf(asked, context, context.signal))
    },
  }
}

/** Starts the server for a call, if it does not run. */
function createCallStarts({ given, settings, listing, login, server: running }: CallerOptions) {
  const { remedy } = given
  const server = given.config.name
  /** The session, if the server runs and its list is known. This is the most common case. */
  const runningSession = () => (listing.known.manifest === undefined ? undefined : running.lifecycle.running)
  /** Starts the server. If it needs a login, offers the login to the client and tries once more. */
  const startFor = async (name: string, signal: StopSignal, context: CommandContext): Promise<Started> => {
    const started = await tryStart(name, signal)
    if (!('needed' in started)) return started
    const again = (await login.offer(context, signal)) ? await tryStart(name, signal) : started
    return 'needed' in again ? { failure: loginFailure(again.needed, name) } : again
  }
  const tryStart = async (name: string, signal: StopSignal): Promise<Started | { readonly needed: LoginRequired }> => {
    const session = runningSession()
    if (session !== undefined) return { session }
    const startClock = new Clock({ signal, timeoutMs: settings.startWaitMs })
    try {
      return { session: await running.ensure(startClock.signal) }
    } catch (error) {
      if (signal.aborted) return { failure: fail('CANCELLED', { name }, { details: { server, tool: name } }) }
      if (startClock.exceededMs !== undefined) {
        return { failure: unavailable({ server, tool: name, remedy }, 'it is still starting', STILL_STARTING_MS) }
      }
      const needed = loginRequiredIn(error)
      if (needed !== undefined) return { needed }
      const reason = messageOf(error)
      const userAction = remedyFor(error)
      if (userAction !== undefined) return { failure: unavailable({ server, tool: name, remedy: userAction }, reason) }
      const retryAfterMs = error instanceof NotRunning ? error.retryAfterMs : 0
      return { failure: unavailable({ server, tool: name, remedy }, reason, retryAfterMs) }
    } finally {
      startClock.stop()
    }
  }
  return { runningSession, startFor }
}
