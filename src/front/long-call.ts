// Calls of modern clients over several requests. A call that asks its client is parked until the next request answers.

import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ServerRequest } from '../core/call.ts'
import { isRecord } from '../core/is-record.ts'
import type { CommandResult } from '../core/result.ts'
import type { Rights } from '../core/rights.ts'
import type { Request } from '../crib/request.ts'
import {
  ANSWER_MS,
  type AskClient,
  type Capabilities,
  type ClientAnswer,
  canAnswer,
  withoutProgressToken,
} from './server-requests.ts'

/** The means by which a call reaches its client, through the request that is currently open. */
export type ClientChannel = Omit<Request, 'caller'>

/** One request of the client, through which the call reaches the client while the request is open. */
export interface OpenRequest extends ClientChannel {
  readonly capabilities: Capabilities | undefined
}

/** How one request ends: with questions to the client, or with the result of the call. */
export type Turn =
  | { readonly kind: 'asked'; readonly questions: Readonly<Record<string, ServerRequest>> }
  | { readonly kind: 'answered'; readonly result: CommandResult }

export interface LongCall {
  /** Continues with the answers of the client until there is a result or a new question. */
  next(openRequest: OpenRequest, answers?: Readonly<Record<string, unknown>>): Promise<Turn>
  cancel(reason: Error): void
}

interface Question {
  readonly request: ServerRequest
  answer(answer: ClientAnswer): void
}

/** The maximum number of open questions. Further ones are refused. */
const MAX_QUESTIONS = 16
/** Messages between two requests are kept for the next one, up to this number. */
const MAX_UNSENT = 256

/** `run` must never reject. */
export function startLongCall(run: (channel: ClientChannel) => Promise<CommandResult>): LongCall {
  const cancelling = new AbortController()
  const questions = new Map<string, Question>()
  let unsent: ((openRequest: OpenRequest) => void)[] = []
  let openRequest: OpenRequest | undefined
  let capabilities: Capabilities | undefined
  let lastKey = 0
  let result: CommandResult | undefined
  let wake = () => {}

  const sendOrKeep = (message: (openRequest: OpenRequest) => void) => {
    if (openRequest !== undefined) message(openRequest)
    else if (unsent.length < MAX_UNSENT) unsent.push(message)
  }
  const ask: AskClient = (request, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted || cancelling.signal.aborted) return reject(signal.reason ?? cancelling.signal.reason)
      if (!canAnswer(request, capabilities))
        return reject(new Error(`The client does not support this kind of ${request.method}`))
      if (questions.size >= MAX_QUESTIONS)
        return reject(new Error(`The client already has ${MAX_QUESTIONS} questions to answer`))
      const key = `question-${++lastKey}`
      const withdraw = () => {
        questions.delete(key)
        reject(signal.reason)
      }
      signal.addEventListener('abort', withdraw, { once: true })
      const answer = (given: ClientAnswer) => {
        signal.removeEventListener('abort', withdraw)
        questions.delete(key)
        resolve(given)
      }
      questions.set(key, { request: withoutProgressToken(request), answer })
      wake()
    })
  const nextEvent = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  const start = () =>
    void run({
      signal: cancelling.signal,
      onServerRequest: ask,
      log: (level, data, logger) => sendOrKeep((to) => to.log?.(level, data, logger)),
      progress: (done, total, message) => sendOrKeep((to) => to.progress?.(done, total, message)),
      listChanged: () => sendOrKeep((to) => to.listChanged?.()),
    }).then((given) => {
      result = given
      wake()
    })

  const openQuestions = () => Object.fromEntries([...questions].map(([key, { request }]) => [key, request]))

  let isStarted = false
  return {
    async next(opened, answers = {}) {
      openRequest = opened
      capabilities = opened.capabilities
      const giveUp = () => cancelling.abort(opened.signal.reason)
      if (opened.signal.aborted) giveUp()
      else opened.signal.addEventListener('abort', giveUp, { once: true })
      for (const message of unsent) message(opened)
      unsent = []
      for (const [key, answer] of Object.entries(answers)) if (isRecord(answer)) questions.get(key)?.answer(answer)
      if (!isStarted) start()
      isStarted = true
      try {
        while (result === undefined) {
          if (questions.size === 0 || cancelling.signal.aborted) {
            await nextEvent()
            continue
          }
          // Questions of the same turn of the event loop are sent together.
          await nextTurn()
          const isOver = result !== undefined || cancelling.signal.aborted
          if (!isOver && questions.size > 0) return { kind: 'asked', questions: openQuestions() }
        }
        return { kind: 'answered', result }
      } finally {
        openRequest = undefined
        opened.signal.removeEventListener('abort', giveUp)
      }
    },
    cancel: (reason) => cancelling.abort(reason),
  }
}

export interface ParkedCall {
  readonly principal: string
  readonly rights?: Rights | undefined
  readonly name: string
  readonly args: unknown
  readonly call: LongCall
}

export interface ParkedCalls {
  /** Returns the `requestState`. If too many calls wait, the oldest call of the principal with the most calls is cancelled. */
  park(call: ParkedCall): string
  /** True if the `requestState` has our format, even if it has expired. Others belong to an upstream server. */
  isOurs(state: string): boolean
  /** Removes and returns the call of this `requestState` if `fits` accepts it. Otherwise the call stays parked. */
  take(state: string, fits: (call: ParkedCall) => boolean): LongCall | undefined
  readonly size: number
  /** Cancels the parked calls of a principal that has lost its token or has other rights. */
  dismiss(principal: string): void
  /** Cancels all parked calls. */
  close(): void
}

export interface ParkingOptions {
  /** The name of this gateway, if others share the store: each `requestState` then contains it. */
  readonly replica?: string | undefined
  readonly maxCalls?: number
  /** How long a call waits before it is cancelled. */
  readonly maxMs?: number
}

const STATE_PREFIX = 'toolcrib.'
const STATE_WITH_REPLICA = /^toolcrib\.([0-9a-f]{16})\.[\w-]{43}$/

/** The name of the gateway that holds the call of a `requestState`. Undefined if the state contains no name. */
export function replicaIn(state: string): string | undefined {
  return STATE_WITH_REPLICA.exec(state)?.[1]
}

export function createParkedCalls({ maxCalls = 64, maxMs = ANSWER_MS, replica }: ParkingOptions = {}): ParkedCalls {
  /** By `requestState`, in the order of arrival. */
  const entries = new Map<string, ParkedCall & { readonly timer: NodeJS.Timeout }>()

  const remove = (state: string): LongCall | undefined => {
    const entry = entries.get(state)
    clearTimeout(entry?.timer)
    entries.delete(state)
    return entry?.call
  }
  const cancel = (state: string, why: string) => remove(state)?.cancel(new Error(why))
  const makeRoom = (principal: string) => {
    const counts = new Map([[principal, 1]])
    for (const entry of entries.values()) counts.set(entry.principal, (counts.get(entry.principal) ?? 0) + 1)
    const [largest] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))
    const oldest = [...entries].find(([, entry]) => entry.principal === largest) ?? [...entries][0]
    if (oldest !== undefined) cancel(oldest[0], 'too many calls wait for answers')
  }

  return {
    park(call) {
      if (entries.size >= maxCalls) makeRoom(call.principal)
      const state = `${STATE_PREFIX}${replica === undefined ? '' : `${replica}.`}${randomBytes(32).toString('base64url')}`
      const timer = setTimeout(() => cancel(state, `no answer came in ${maxMs} ms`), maxMs)
      // A parked call must not keep the process alive.
      timer.unref()
      entries.set(state, { ...call, timer })
      return state
    },
    isOurs: (state) => state.startsWith(STATE_PREFIX),
    take(state, fits) {
      const entry = entries.get(state)
      return entry !== undefined && fits(entry) ? remove(state) : undefined
    },
    get size() {
      return entries.size
    },
    dismiss(principal) {
      for (const [state, entry] of [...entries])
        if (entry.principal === principal) cancel(state, 'the token was revoked, or its rights have changed')
    },
    close() {
      for (const state of [...entries.keys()]) cancel(state, 'the server is stopping')
    },
  }
}
