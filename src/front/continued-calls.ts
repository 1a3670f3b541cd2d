// The calls of this gateway that it continues for other gateways, which have received the answers of the client.

import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../core/is-record.ts'
import type { CommandResult } from '../core/result.ts'
import { rightsKey } from '../core/rights.ts'
import type { OpenRequest } from './long-call.ts'
import type { ParkedCall, ParkedCalls } from './parked-calls.ts'
import type { RelayedRequest, RelayMessage, RelayReply } from './relay-messages.ts'
import { encodeWire } from './wire.ts'

interface ContinuedCalls {
  /** Continues one of our calls for another gateway, which gets the messages of the call and its outcome. */
  resume(request: RelayedRequest): Promise<void>
  /** Handles a message about a running call: its client cancelled it, or the other gateway asks whether it runs. */
  receive(message: unknown): void
}

/** Sends a message to another gateway. Resolves with false if that gateway does not exist. */
type Post = (to: string, message: RelayMessage | RelayReply) => Promise<boolean>

/** How often each of the two gateways checks that the other one is alive. */
export const CHECK_MS = 2_000
/** A gateway that sends nothing for this time counts as dead. */
export const MAX_SILENCE_MS = 10_000

export function createContinuedCalls(parked: ParkedCalls, post: Post): ContinuedCalls {
  /** The running calls, by the id of the relayed request. */
  const running = new Map<string, { lastMessageAt: number; cancel(reason: Error): void }>()

  const resume = async (request: RelayedRequest): Promise<void> => {
    const { id, from, token, name, args, principal, rights } = request
    let found: ParkedCall | undefined
    const isOwn = (call: ParkedCall) => {
      found = call
      const isSameCall = call.name === name && isDeepStrictEqual(call.args, args)
      return isSameCall && call.principal === principal && rightsKey(call.rights) === rights
    }
    const call = parked.take(token, isOwn)
    // Sent one after the other, so that progress and logs arrive in order and before the result.
    let sending: Promise<unknown> = Promise.resolve()
    const reply = (message: RelayReply) => {
      sending = sending.then(() => post(from, message)).catch(() => false)
      return sending
    }
    if (call === undefined) return void (await reply({ id, kind: 'refused' }))
    const cancelling = new AbortController()
    const cancel = (reason: Error) => cancelling.abort(reason)
    running.set(id, { lastMessageAt: performance.now(), cancel })
    void reply({ id, kind: 'accepted' })
    const watch = setInterval(() => {
      const silentMs = performance.now() - (running.get(id)?.lastMessageAt ?? 0)
      if (silentMs > MAX_SILENCE_MS) cancel(new Error('the gateway of the client went away'))
    }, CHECK_MS).unref()
    const open: OpenRequest = {
      signal: cancelling.signal,
      capabilities: request.capabilities,
      listChanged: () => void reply({ id, kind: 'list-changed' }),
      ...(request.hasLogs
        ? { log: (level, data, logger) => void reply({ id, kind: 'log', level, data, logger }) }
        : {}),
      ...(request.hasProgress
        ? { progress: (done, total, message) => void reply({ id, kind: 'progress', done, total, message }) }
        : {}),
    }
    try {
      const turn = await call.next(open, request.answers)
      if (turn.kind === 'asked') {
        const requestState = parked.park({ principal, rights: found?.rights, name, args, call })
        await reply({ id, kind: 'asked', questions: turn.questions, requestState })
      } else await reply({ id, kind: 'answered', ...encodedResult(name, turn.result) })
    } finally {
      clearInterval(watch)
      running.delete(id)
    }
  }

  return {
    resume,
    receive(message) {
      if (!isRecord(message) || typeof message.id !== 'string') return
      const call = running.get(message.id)
      if (message.kind === 'cancel') call?.cancel(new Error('the client cancelled its request'))
      if (call === undefined || message.kind !== 'check' || typeof message.from !== 'string') return
      call.lastMessageAt = performance.now()
      void post(message.from, { id: message.id, kind: 'alive' }).catch(() => {})
    },
  }
}

/** The result as it is sent to the client, and the parts of an error that the other gateway reads. */
function encodedResult(name: string, result: CommandResult): { readonly result: CommandResult } {
  const { result: wire } = encodeWire(name, result)
  if (result.error === undefined) return { result: { success: true, data: undefined, wire } }
  const { code, message, details } = result.error
  const { requiredCapabilities } = details ?? {}
  const kept = requiredCapabilities === undefined ? {} : { details: { requiredCapabilities } }
  return { result: { success: false, error: { code, message, ...kept }, wire } }
}
