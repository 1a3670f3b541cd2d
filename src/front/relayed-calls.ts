// Relays the answers of a client to the gateway that holds the parked call, if another gateway received them.

import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ServerRequest } from '../core/call.ts'
import { fail } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import type { CommandResult } from '../core/result.ts'
import { rightsKey } from '../core/rights.ts'
import type { Store } from '../storage/store.ts'
import type { Activity } from './activity.ts'
import { invalidState } from './input-relay.ts'
import { type OpenRequest, type ParkedCall, type ParkedCalls, replicaIn, type Turn } from './long-call.ts'
import { parseReply, parseRequest, type RelayedRequest, type RelayMessage, type RelayReply } from './relay-messages.ts'
import { encodeWire } from './wire.ts'

/** The state of a continued call: its result, or questions with the `requestState` for the next request. */
type RelayedTurn = Exclude<Turn, { kind: 'asked' }> | { kind: 'asked'; questions: Questions; requestState: string }
type Questions = Readonly<Record<string, ServerRequest>>

export interface RelayedCalls {
  /** True if another gateway holds the parked call of this `requestState`. */
  isElsewhere(requestState: string): boolean
  /**
   * Continues a call at the gateway that holds it. Rejects if that gateway refuses, or does not accept in time. If it
   * is gone later, the result is GATEWAY_LOST.
   */
  resume(
    request: Omit<RelayedRequest, 'kind' | 'id' | 'from' | 'hasProgress' | 'hasLogs'>,
    open: OpenRequest,
  ): Promise<RelayedTurn>
  close(): void
}

interface RelayOptions {
  readonly store: Store
  /** The name of this gateway among those that share the store. */
  readonly replica: string
  readonly parked: ParkedCalls
  readonly activity: Activity
}

/** Sends a message to another gateway. Resolves with false if that gateway does not exist. */
type Post = (to: string, message: RelayMessage | RelayReply) => Promise<boolean>

/** How long the other gateway may take to find the call. */
const ACCEPT_MS = 1_500
/** How often each of the two gateways checks that the other one is alive. */
const CHECK_MS = 2_000
/** A gateway that sends nothing for this time counts as dead. */
const MAX_SILENCE_MS = 10_000

export function relayCalls({ store, replica, parked, activity }: RelayOptions): RelayedCalls {
  const { send, listen } = store
  /** The listeners for replies, by the id of a request that another gateway continues for this one. */
  const listeners = new Map<string, (reply: RelayReply) => void>()
  const post: Post = async (to, message) => send !== undefined && (await send(topicOf(to), message)) > 0
  const continued = createContinuedCalls(parked, post)

  const stop = listen?.(topicOf(replica), (message) => {
    const reply = parseReply(message)
    if (reply !== undefined) return listeners.get(reply.id)?.(reply)
    const request = parseRequest(message)
    if (request !== undefined) return void activity.track(continued.resume(request)).catch(() => {})
    continued.receive(message)
  })

  return {
    isElsewhere(requestState) {
      const holder = replicaIn(requestState)
      return holder !== undefined && holder !== replica
    },
    async resume(given, open) {
      const id = randomUUID()
      const holder = replicaIn(given.requestState) ?? ''
      const lost = (): RelayedTurn => ({ kind: 'answered', result: fail('GATEWAY_LOST', { method: given.name }) })
      const hasProgress = open.progress !== undefined
      const request = { ...given, id, from: replica, hasProgress, hasLogs: open.logLevel !== undefined }
      const cancel = () => void post(holder, { id, kind: 'cancel' }).catch(() => {})
      open.signal.addEventListener('abort', cancel, { once: true })
      let timers: readonly NodeJS.Timeout[] = []
      try {
        return await new Promise<RelayedTurn>((resolve, reject) => {
          let lastMessageAt = performance.now()
          let isAccepted = false
          // If the other gateway has accepted the request, the call may have run. The client must not repeat it.
          const giveUp = () => (isAccepted ? resolve(lost()) : reject(invalidState()))
          const giveUpUnless = (isThere: boolean) => (isThere ? undefined : giveUp())
          listeners.set(id, (reply) => {
            lastMessageAt = performance.now()
            if (reply.kind === 'refused') reject(invalidState())
            else if (reply.kind === 'accepted') isAccepted = true
            else if (reply.kind === 'asked') resolve(reply)
            else if (reply.kind === 'answered') resolve({ kind: 'answered', result: reply.result })
            else passToClient(reply, open)
          })
          const check = () => {
            if (performance.now() - lastMessageAt > MAX_SILENCE_MS) giveUp()
            else post(holder, { id, kind: 'check', from: replica }).then(giveUpUnless, () => {})
          }
          timers = [setTimeout(() => giveUpUnless(isAccepted), ACCEPT_MS), setInterval(check, CHECK_MS)]
          post(holder, { kind: 'resume', ...request }).then(giveUpUnless, giveUp)
        })
      } finally {
        for (const timer of timers) clearTimeout(timer)
        open.signal.removeEventListener('abort', cancel)
        listeners.delete(id)
      }
    },
    close: () => stop?.(),
  }
}

/** Passes a message of the call on to the client. */
function passToClient(reply: RelayReply, open: OpenRequest): void {
  if (reply.kind === 'log') open.log?.(reply.level, reply.data, reply.logger)
  else if (reply.kind === 'progress') open.progress?.(reply.done, reply.total, reply.message)
  else if (reply.kind === 'list-changed') open.listChanged?.()
}

function topicOf(replica: string): string {
  return `replica/${replica}`
}

/** The parked calls of this gateway, continued with answers that clients sent to other gateways. */
function createContinuedCalls(parked: ParkedCalls, post: Post) {
  /** The running calls, by the id of the relayed request. */
  const running = new Map<string, { lastMessageAt: number; cancel(reason: Error): void }>()

  /** Continues one of our calls for another gateway, which gets the messages of the call and its outcome. */
  const resume = async (request: RelayedRequest): Promise<void> => {
    const { id, from, requestState, name, args, principal, rights } = request
    let found: ParkedCall | undefined
    const isOwn = (call: ParkedCall) => {
      found = call
      const isSameCall = call.name === name && isDeepStrictEqual(call.args, args)
      return isSameCall && call.principal === principal && rightsKey(call.rights) === rights
    }
    const call = parked.take(requestState, isOwn)
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
        const nextState = parked.park({ principal, rights: found?.rights, name, args, call })
        await reply({ id, kind: 'asked', questions: turn.questions, requestState: nextState })
      } else await reply({ id, kind: 'answered', ...encodedResult(name, turn.result) })
    } finally {
      clearInterval(watch)
      running.delete(id)
    }
  }

  return {
    resume,
    /** Handles a message about a running call: its client cancelled it, or the other gateway asks whether it runs. */
    receive(message: unknown): void {
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
