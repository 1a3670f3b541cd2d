// Passes the answers of a modern client to the gateway that holds its parked call, if several gateways share a store.

import { randomUUID } from 'node:crypto'
import type { ServerRequest } from '../core/call.ts'
import { fail } from '../core/errors.ts'
import type { Store } from '../storage/store.ts'
import type { Activity } from './activity.ts'
import { CHECK_MS, createContinuedCalls, MAX_SILENCE_MS } from './continued-calls.ts'
import { invalidState } from './input-relay.ts'
import type { OpenRequest, Turn } from './long-call.ts'
import { type ParkedCalls, replicaIn } from './parked-calls.ts'
import { parseReply, parseRequest, type RelayedRequest, type RelayMessage, type RelayReply } from './relay-messages.ts'

/** The state of a continued call: its result, or questions with the token for the next request. */
type RelayedTurn = Exclude<Turn, { kind: 'asked' }> | { kind: 'asked'; questions: Questions; requestState: string }
type Questions = Readonly<Record<string, ServerRequest>>

export interface RelayedCalls {
  /** The name of this gateway in the tokens of its parked calls. */
  readonly replica: string
  /** True if another gateway holds the call of this token. */
  isElsewhere(token: string): boolean
  /** Continues a call at the gateway that holds it. Rejects if that gateway is gone, refuses, or accepts too late. */
  resume(
    request: Omit<RelayedRequest, 'id' | 'from' | 'hasProgress' | 'hasLogs'>,
    open: OpenRequest,
  ): Promise<RelayedTurn>
  close(): void
}

interface RelayOptions {
  readonly store: Store
  readonly replica: string
  readonly parked: ParkedCalls
  readonly activity: Activity
}

/** How long the other gateway may take to find the call. */
const ACCEPT_MS = 1_500

export function relayCalls({ store, replica, parked, activity }: RelayOptions): RelayedCalls {
  const { send, listen } = store
  /** The listeners for replies, by the id of a request that another gateway continues for this one. */
  const listeners = new Map<string, (reply: RelayReply) => void>()
  /** Resolves with false if the other gateway does not exist. */
  const post = async (to: string, message: RelayMessage | RelayReply): Promise<boolean> =>
    send !== undefined && (await send(topicOf(to), message)) > 0
  const continued = createContinuedCalls(parked, post)

  const stop = listen?.(topicOf(replica), (message) => {
    const reply = parseReply(message)
    if (reply !== undefined) return listeners.get(reply.id)?.(reply)
    const request = parseRequest(message)
    if (request !== undefined) return void activity.track(continued.resume(request)).catch(() => {})
    continued.receive(message)
  })

  return {
    replica,
    isElsewhere(token) {
      const holder = replicaIn(token)
      return holder !== undefined && holder !== replica
    },
    async resume(given, open) {
      const id = randomUUID()
      const holder = replicaIn(given.token) ?? ''
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
