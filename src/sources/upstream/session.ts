// One connection to one server, as long as it lasts: list its tools, call them, hear from it.

import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type Client,
  type ClientCapabilities,
  type Implementation,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client'
import type { InputRelay } from '../../core/call.ts'
import { isRecord } from '../../core/schema.ts'
import type { JsonSchema } from '../../core/tool.ts'
import { type CallOutcome, outcomeOf, redactOutcome } from './call-outcome.ts'
import { type Clock, createClock } from './clock.ts'
import { createFlights, type Flight } from './flights.ts'
import { asSent } from './lenient-transport.ts'
import { paramHeaders } from './param-headers.ts'
import type { Redactor } from './redactor.ts'
import { createResourceWatches, type ResourceWatches } from './resource-watches.ts'
import { type Answer, answerFor, readServerRequest } from './server-requests.ts'
import { collectTools, type ToolList } from './tool-list.ts'

export interface Session extends ResourceWatches {
  readonly era: 'legacy' | 'modern'
  /** The era was not found out now, but taken over from an earlier session. */
  readonly isEraAssumed: boolean
  readonly serverInfo: Implementation | undefined
  readonly instructions: string | undefined
  readonly capabilities: Readonly<Record<string, unknown>>
  /** Settles with the reason when the connection is over, whoever ended it. */
  readonly closed: Promise<string>
  listTools(signal: AbortSignal): Promise<ToolList>
  call(request: CallRequest): Promise<CallOutcome>
  /** Tells a legacy server that its client's roots are others now; a modern one asks when it needs them. */
  rootsChanged(): Promise<void>
  /** Anything else the server offers (lists, completions) that asks and tells nothing, unchecked. */
  request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallOutcome>
  close(): Promise<void>
}

/** A request during which the server may ask and tell: a call of a tool, or any other that people wait for. */
export interface CallRequest extends Omit<Flight, 'pause'> {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** Of the tool that is called. */
  readonly inputSchema?: JsonSchema
  /** What the client of this call has declared that it can do; all of what we pass on where it is not known. */
  readonly capabilities?: Readonly<Record<string, unknown>>
  /** The least that the client wants to be told of. */
  readonly logLevel?: string
  /** Where the client comes back by itself with answers. */
  readonly relay?: InputRelay
  readonly timeoutMs: number
  readonly maxMs: number
  progress(done: number, total?: number, message?: string): void
}

export interface SessionOptions {
  readonly client: Client
  readonly isEraAssumed: boolean
  readonly closed: Promise<string>
  readonly listTimeoutMs: number
  /** Every text about a failure passes through it on its way out. */
  readonly redactor: Redactor
  /** The server has asked for something before. */
  readonly knownToAsk?: boolean
  onAsk?(): void
  /** Where there is but one client: its roots. Without it, a server is not told that there are any. */
  readonly ownRoots?: OwnRoots
  onListChanged?(): void
  onNews?(news: ServerNews): void
  end(): Promise<void>
}

export interface OwnRoots {
  /** That client is there and can be asked, in a call or not. */
  readonly isKnown: boolean
  answer(signal: AbortSignal): Promise<Answer>
}

/** What a server says of itself, to nobody in particular. */
export type ServerNews =
  | { readonly kind: 'listChanged'; readonly of: 'prompts' | 'resources' }
  | { readonly kind: 'updated'; readonly uri: string }
  | { readonly kind: 'log'; readonly level: string; readonly data: unknown; readonly logger?: string }

interface Call extends Flight {
  progress(done: number, total?: number, message?: string): void
}

/** The longest a timer can run: our own clock decides. */
const NEVER_MS = 2_147_483_647
/** How often a modern server may come back for more input within one call. */
const MAX_ROUNDS = 10
const PATIENCE_MS = 250
const DECLINED_SAMPLING = -1
const METHOD_NOT_FOUND = -32_601
/** What a client gets that has not said what it wants. */
const LOG_LEVEL = 'info'

/** What we pass on to clients; which of them can answer is settled call by call. */
const CAPABILITIES: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {} }

/** Servers ask for roots when they like: only where there is one client can it be said whose. */
export function capabilitiesFor({ ownRoots }: Pick<SessionOptions, 'ownRoots'>): ClientCapabilities {
  return ownRoots === undefined ? CAPABILITIES : { ...CAPABILITIES, roots: { listChanged: true } }
}

/** The client is connected already; from here on it is ours. */
export function createSession(options: SessionOptions): Session {
  const { client, isEraAssumed, closed, listTimeoutMs, redactor, onAsk, onListChanged, onNews, end } = options
  const era = client.getProtocolEra() ?? 'legacy'
  const serverCapabilities = client.getServerCapabilities() ?? {}
  const flights = createFlights()
  // In the modern era a server asks within the answer to a call: there is nothing to guess.
  flights.knownToAsk = era === 'legacy' && options.knownToAsk === true
  const callsByToken = new Map<string | number, Call>()
  let lastToken = 0

  client.setNotificationHandler('notifications/progress', ({ params }) => {
    const call = callsByToken.get(params.progressToken)
    const { progress, total, message } = params
    call?.progress(progress, total, message === undefined ? undefined : redactor.text(message))
  })
  client.setNotificationHandler('notifications/message', ({ params }) => {
    const { level, logger } = params
    // A log is about how the server does, not the answer of a tool: all of it counts as diagnostics.
    const data = redactor.value(params.data)
    const flight = flights.meant()
    if (flight !== undefined) flight.log(level, data, logger)
    // Said during calls of several clients, it is for none of them to hear what another does.
    else if (flights.isQuiet) onNews?.({ kind: 'log', level, data, ...(logger === undefined ? {} : { logger }) })
  })
  client.setNotificationHandler('notifications/tools/list_changed', () => onListChanged?.())
  const tellOf = (of: 'prompts' | 'resources') => () => onNews?.({ kind: 'listChanged', of })
  client.setNotificationHandler('notifications/prompts/list_changed', tellOf('prompts'))
  client.setNotificationHandler('notifications/resources/list_changed', tellOf('resources'))
  client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
    onNews?.({ kind: 'updated', uri })
  })
  // The fallback, because the SDK would check what passes through against its own idea of it.
  client.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    const request = readServerRequest(method, params)
    if (request === undefined) throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method}`)
    const { ownRoots } = options
    if (method === 'roots/list' && ownRoots !== undefined && (ownRoots.isKnown || flights.isQuiet)) {
      return ownRoots.answer(mcpReq.signal)
    }
    if (!flights.knownToAsk) onAsk?.()
    flights.knownToAsk = true
    // A call that was answered in the same breath is no longer in flight, but its promises do not know yet.
    await nextTurn()
    const answer = await answerFor(request, flights.meant(), mcpReq.signal)
    if (answer === undefined) throw new ProtocolError(DECLINED_SAMPLING, 'The client does not answer this request')
    return answer
  }

  /** One leg of a call after the other, until the server needs no more input. */
  const converse = async (request: CallRequest, call: Call, token: string): Promise<CallOutcome> => {
    const { method, inputSchema } = request
    const { arguments: args } = request.params
    const headers = era === 'modern' && inputSchema !== undefined && isRecord(args) && paramHeaders(inputSchema, args)
    const relay = era === 'modern' ? request.relay : undefined
    let input: Readonly<Record<string, unknown>> = relay?.take() ?? {}
    for (let round = 0; round <= MAX_ROUNDS; round++) {
      const params = { ...request.params, ...input, _meta: metaOf(token, request) }
      const result = await client.request({ method, params }, anything, {
        signal: call.signal,
        timeout: NEVER_MS,
        allowInputRequired: true,
        ...(headers === false ? {} : { headers }),
      })
      if (result.resultType !== 'input_required') return { kind: 'answered', result: asSent(result) }
      if (relay !== undefined) {
        relay.ask(result)
        return { kind: 'asked' }
      }
      const answers = await answerAll(result.inputRequests, call)
      if (typeof answers === 'string') return { kind: 'unanswered', capability: answers }
      // A server that asks for nothing but patience gets a little.
      if (Object.keys(answers).length === 0) await delay(PATIENCE_MS, undefined, { signal: call.signal })
      input = {
        ...(Object.keys(answers).length === 0 ? {} : { inputResponses: answers }),
        ...(result.requestState === undefined ? {} : { requestState: result.requestState }),
      }
    }
    return { kind: 'refused', reason: `it asked for input more than ${MAX_ROUNDS} times` }
  }

  const metaOf = (progressToken: string, request: CallRequest) => ({
    progressToken,
    // A modern server is told with each request what this caller can do, and whether logs are wanted.
    ...(era === 'modern' ? { [CLIENT_CAPABILITIES_META_KEY]: answerable(request) } : {}),
    ...(era === 'modern' && serverCapabilities.logging !== undefined
      ? { [LOG_LEVEL_META_KEY]: request.logLevel ?? LOG_LEVEL }
      : {}),
  })

  const ask = async (method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal) => {
    const clock = createClock({ signal, timeoutMs: listTimeoutMs })
    try {
      const options = { signal: clock.signal, timeout: NEVER_MS }
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
    isEraAssumed,
    serverInfo: client.getServerVersion(),
    instructions: client.getInstructions(),
    capabilities: serverCapabilities,
    closed,
    async listTools(signal) {
      if (serverCapabilities.tools === undefined) return { tools: [], problems: [] }
      return collectTools(async (cursor) => {
        const params = cursor === undefined ? {} : { cursor }
        const options = { signal, timeout: listTimeoutMs }
        return asSent(await client.request({ method: 'tools/list', params }, anything, options))
      })
    },
    async call(request) {
      const { client: whose, ask, timeoutMs, maxMs, signal } = request
      const clock = createClock({ signal, timeoutMs, maxMs })
      const token = `call-${++lastToken}`
      const call: Call = {
        client: whose,
        signal: clock.signal,
        ...(ask === undefined ? {} : { ask }),
        pause: clock.pause,
        log: request.log,
        progress(done, total, message) {
          clock.touch()
          request.progress(done, total, message)
        },
      }
      let leave = () => {}
      try {
        // Nothing is sent while another client thinks about a question: that is no time of this call.
        const resume = clock.pause()
        leave = await flights.enter(call)
        resume()
        callsByToken.set(token, call)
        return redactOutcome(await converse(request, call, token), redactor)
      } catch (error) {
        return failed(error, clock)
      } finally {
        callsByToken.delete(token)
        leave()
        clock.stop()
      }
    },
    async rootsChanged() {
      if (era === 'legacy' && options.ownRoots !== undefined) await client.sendRootsListChanged()
    },
    request: ask,
    ...createResourceWatches({
      client,
      era,
      request: ask,
      failed: (error) => redactOutcome(outcomeOf(error, false), redactor),
    }),
    close: end,
  }
}

/** What can be asked of the client of a call. */
function answerable({ ask, relay, capabilities = CAPABILITIES }: CallRequest): Readonly<Record<string, unknown>> {
  if (ask === undefined && relay === undefined) return {}
  return Object.fromEntries(Object.entries(capabilities).filter(([name]) => name === 'roots' || name in CAPABILITIES))
}

/** The client's answers by key, or the capability that it lacks. */
async function answerAll(requests: unknown, call: Call): Promise<Record<string, unknown> | string> {
  const answers: Record<string, unknown> = {}
  for (const [key, entry] of Object.entries(isRecord(requests) ? requests : {})) {
    const request = isRecord(entry) ? readServerRequest(entry.method, entry.params) : undefined
    const answer = request && (await answerFor(request, call, call.signal))
    if (answer === undefined) return isRecord(entry) ? String(entry.method).split('/', 1)[0] || 'input' : 'input'
    answers[key] = answer
  }
  return answers
}

/** Takes every result as it is: what servers send is looked at where it is used. */
const anything: StandardSchemaV1<unknown, Readonly<Record<string, unknown>>> = {
  '~standard': { version: 1, vendor: 'toolcrib', validate: (value) => ({ value: isRecord(value) ? value : {} }) },
}
