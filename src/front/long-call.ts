// One call of a modern client over several requests: each request ends with questions, the last one with the result.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ServerRequest } from '../core/call.ts'
import { isRecord } from '../core/is-record.ts'
import type { CommandResult } from '../core/result.ts'
import type { Request } from '../crib/request.ts'
import { type AskClient, type Capabilities, type ClientAnswer, canAnswer, forClient } from './server-requests.ts'

/** The context of a call: how it reaches its client, through the request that is currently open. */
export type ClientChannel = Omit<Request, 'caller'>

/** One request of the client, with the context that it provides. */
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
      if (!canAnswer(request, capabilities) || questions.size >= MAX_QUESTIONS) {
        return reject(new Error(`The client cannot be asked ${request.method} now`))
      }
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
      questions.set(key, { request: forClient(request), answer })
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
