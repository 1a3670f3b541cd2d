// One connection to one server: lists its tools, calls them, and receives its notifications.

import { type Client, type Implementation, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { isOneOfMany } from '../../core/call.ts'
import { isRecord } from '../../core/is-record.ts'
import { abortSignalOf } from '../../core/stop-signal.ts'
import { type CallOutcome, outcomeOf, redactOutcome } from './call-outcome.ts'
import { Clock } from './clock.ts'
import { anything, converse, NEVER_MS, type SendRequest, unpackState } from './conversation.ts'
import type { DirectRequests } from './direct-requests.ts'
import { createEarlyRoots, type OwnRoots } from './early-roots.ts'
import { asSent } from './lenient-transport.ts'
import { createPendingCalls } from './pending-calls.ts'
import { createQuestions, type QuestionRules } from './questions.ts'
import type { Redactor } from './redactor.ts'
import { createResourceWatches, type ResourceWatches } from './resource-watches.ts'
import { handleNotifications, handleServerRequests, type ServerNotification } from './server-messages.ts'
import { type CallRequest, SessionCall } from './session-call.ts'
import { collectTools, type ToolList } from './tool-list.ts'

export interface Session extends ResourceWatches {
  readonly era: 'legacy' | 'modern'
  /** The version of the protocol that both sides agreed on. */
  readonly protocolVersion: string | undefined
  /** True if the server was not asked for its era: it was initialized, or the era is that of an earlier session. */
  readonly isEraAssumed: boolean
  readonly serverInfo: Implementation | undefined
  readonly instructions: string | undefined
  readonly capabilities: Readonly<Record<string, unknown>>
  /** Resolves with the reason when the connection is closed, by either side. */
  readonly closed: Promise<string>
  listTools(signal: AbortSignal): Promise<ToolList>
  call(request: CallRequest): Promise<CallOutcome>
  /** Notifies a legacy server that the roots have changed. A modern server asks when it needs them. */
  rootsChanged(): Promise<void>
  /**
   * Sends a request that is not a call (lists, completions). Requests and messages that the server sends meanwhile do
   * not belong to it. The result is unchecked.
   */
  request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallOutcome>
  close(): Promise<void>
}

export interface SessionOptions {
  readonly client: Client
  /** Sends the calls. Without it, the client sends them. */
  readonly direct?: DirectRequests
  readonly isEraAssumed: boolean
  readonly closed: Promise<string>
  readonly listTimeoutMs: number
  /** Redacts every text about a failure. */
  readonly redactor: Redactor
  /** True if the server has sent a request to a client before. */
  readonly knownToAsk?: boolean
  onAsk?(): void
  readonly questionRules: QuestionRules
  /** Called with a problem of the server that its operator should know. */
  onProblem?(reason: string): void
  /** The roots of the only client. Without it, no roots are declared to the server. */
  readonly ownRoots?: OwnRoots
  onListChanged?(): void
  onNotification?(notification: ServerNotification): void
  end(): Promise<void>
}

const NO_CLIENT_INPUT: ReturnType<typeof unpackState> = { input: {} }

/** The client is already connected. The session owns it from here on. */
export function createSession(options: SessionOptions): Session {
  const { client, isEraAssumed, closed, listTimeoutMs, redactor, ownRoots, end } = options
  const era = client.getProtocolEra() ?? 'legacy'
  const serverCapabilities = client.getServerCapabilities() ?? {}
  const pendingCalls = createPendingCalls()
  // A modern server asks within the answer to a call, so the client to ask is known.
  pendingCalls.knownToAsk = era === 'legacy' && options.knownToAsk === true
  const earlyRoots =
    era === 'legacy' && ownRoots !== undefined
      ? createEarlyRoots(ownRoots, () => client.sendRootsListChanged())
      : undefined
  const conversation = {
    send: options.direct?.request ?? sendThrough(client),
    meta: options.direct?.meta,
    era,
    isLogging: serverCapabilities.logging !== undefined,
    hasHeaders: era === 'modern' && options.direct === undefined,
  }
  let lastToken = 0

  handleNotifications(client, { ...options, pendingCalls })
  handleServerRequests(client, { ...options, ownRoots, pendingCalls, earlyRoots })

  const ask = async (method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal) => {
    const clock = new Clock({ signal, timeoutMs: listTimeoutMs })
    try {
      const options = { signal: abortSignalOf(clock.signal), timeout: NEVER_MS }
      const result = asSent(await client.request({ method, params }, anything, options))
      return redactOutcome({ kind: 'answered', result }, redactor)
    } catch (error) {
      return failed(error, clock)
    } finally {
      clock.stop()
    }
  }

  const failed = (error: unknown, clock: Clock): CallOutcome => {
    if (clock.exceededMs !== undefined) return { kind: 'late', afterMs: clock.exceededMs }
    if (clock.signal.aborted) return { kind: 'cancelled' }
    return redactOutcome(outcomeOf(error, client.transport?.sessionId !== undefined), redactor)
  }

  return {
    era,
    protocolVersion: client.getNegotiatedProtocolVersion(),
    isEraAssumed,
    ...redactor.descriptions({ serverInfo: client.getServerVersion(), instructions: client.getInstructions() }),
    capabilities: serverCapabilities,
    closed,
    async listTools(signal) {
      if (serverCapabilities.tools === undefined) return { tools: [], sent: new Map(), problems: [] }
      const list = await collectTools(async (cursor) => {
        const params = cursor === undefined ? {} : { cursor }
        const options = { signal, timeout: listTimeoutMs }
        return redactor.descriptions(asSent(await client.request({ method: 'tools/list', params }, anything, options)))
      })
      // A problem names its tool. The name of a tool that is left out is not needed for calls.
      return { ...list, problems: redactor.descriptions(list.problems) }
    },
    async call(request) {
      const { call, timeoutMs, maxMs, signal } = request
      const clock = new Clock({ signal, timeoutMs, maxMs })
      // A modern client answers the questions of the server in a repeated call.
      const { input: clientInput, remembered } =
        era === 'modern' && call.relay !== undefined ? unpackState(call.relay.take()) : NO_CLIENT_INPUT
      const pendingCall = new SessionCall(request, clock, `call-${++lastToken}`, () =>
        createQuestions(options.questionRules, {
          begun: remembered,
          redact: redactor.text,
          onDecline: (reason) => options.onProblem?.(reason),
        }),
      )
      const declined = () => pendingCall.declined ?? remembered?.declined ?? []
      try {
        const turn = pendingCalls.enter(pendingCall)
        if (turn !== undefined) {
          // The call waits for the calls of another client. This time counts for `maxMs`, but not for `timeoutMs`.
          const resume = clock.pause()
          await turn
          resume()
        }
        // Lets the server ask for the roots before it gets the call. This is not done if several clients can use the
        // gateway, because the next call may come from a client with other roots.
        if (earlyRoots !== undefined && pendingCall.hasRoots && !isOneOfMany(call.caller))
          await earlyRoots.begin(abortSignalOf(clock.signal))
        const outcome = await converse(conversation, request, { pendingCall, clientInput })
        return withDeclined(redactOutcome(outcome, redactor), declined())
      } catch (error) {
        return withDeclined(failed(error, clock), declined())
      } finally {
        pendingCalls.leave(pendingCall)
        clock.stop()
      }
    },
    async rootsChanged() {
      if (era === 'legacy' && ownRoots !== undefined) await client.sendRootsListChanged()
    },
    request: ask,
    ...createResourceWatches({
      client,
      era,
      request: ask,
      failed: (error) => redactOutcome(outcomeOf(error, false), redactor),
      onUpdated: (uri) => options.onNotification?.({ kind: 'updated', uri }),
    }),
    close: end,
  }
}

/** Uses the SDK's client, because a call over HTTP is more than one message. */
function sendThrough(client: Client): SendRequest {
  return async (method, params, signal, headers) => {
    const options = {
      signal: abortSignalOf(signal),
      timeout: NEVER_MS,
      allowInputRequired: true,
      ...(headers === undefined ? {} : { headers }),
    }
    const result = asSent(await client.request({ method, params }, anything, options))
    if (isRecord(result)) return result
    throw new SdkError(SdkErrorCode.InvalidResult, 'its answer is not an object')
  }
}

/** Adds the declined questions to the outcome, so that the caller knows why the tool stopped. */
function withDeclined(outcome: CallOutcome, declined: readonly string[]): CallOutcome {
  if (declined.length === 0) return outcome
  if (outcome.kind === 'answered') return { ...outcome, declined }
  return outcome.kind === 'refused' ? { ...outcome, reason: [outcome.reason, ...declined].join('; ') } : outcome
}
