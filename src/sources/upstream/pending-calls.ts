// The calls in flight on one connection. Finds the call that a request or a log message of the server belongs to.

import type { PendingCall } from './session-call.ts'

export type PendingCalls = ReturnType<typeof createPendingCalls>

interface Waiting {
  readonly pendingCall: PendingCall
  admit(): void
}

/** How long a call waits for the calls of another client, one of which may be waiting for a person. */
const MAX_WAIT_MS = 30_000

export function createPendingCalls(maxWaitMs = MAX_WAIT_MS) {
  // An array, because a Set that is filled and emptied with each call makes work for the garbage collector.
  const running: PendingCall[] = []
  let waiting: readonly Waiting[] = []

  const mayEnter = (pendingCall: PendingCall, before: readonly Waiting[]): boolean => {
    if (!pendingCalls.knownToAsk || pendingCall.ask === undefined) return true
    const others = [...running, ...before.map((one) => one.pendingCall)]
    return others.every((other) => other.ask === undefined || other.client === pendingCall.client)
  }

  const pendingCalls = {
    /**
     * True if the server is known to send requests. Calls of clients that can answer requests then run for one client
     * at a time, but wait at most `maxWaitMs`: one client must not block another. Other calls start at once.
     */
    knownToAsk: false,
    /** Undefined if the call may start at once. Otherwise resolves when it may start. Rejects if its signal aborts. */
    enter(pendingCall: PendingCall): Promise<void> | undefined {
      if (pendingCall.signal.aborted) return Promise.reject(pendingCall.signal.reason)
      if (mayEnter(pendingCall, waiting)) {
        running.push(pendingCall)
        return undefined
      }
      return new Promise((resolve, reject) => {
        const leaveQueue = () => {
          waiting = waiting.filter((one) => one !== entry)
        }
        const giveUp = () => {
          clearTimeout(timer)
          leaveQueue()
          reject(pendingCall.signal.reason)
        }
        const entry: Waiting = {
          pendingCall,
          admit() {
            clearTimeout(timer)
            pendingCall.signal.removeEventListener('abort', giveUp)
            running.push(pendingCall)
            resolve()
          },
        }
        const timer = setTimeout(() => {
          leaveQueue()
          entry.admit()
        }, maxWaitMs)
        pendingCall.signal.addEventListener('abort', giveUp, { once: true })
        waiting = [...waiting, entry]
      })
    },
    withToken: (token: unknown) => running.find((pendingCall) => pendingCall.token === token),
    leave(pendingCall: PendingCall) {
      const index = running.indexOf(pendingCall)
      if (index < 0) return
      running.splice(index, 1)
      if (waiting.length === 0) return
      const [queue, before]: [readonly Waiting[], Waiting[]] = [waiting, []]
      waiting = []
      for (const one of queue) {
        if (mayEnter(one.pendingCall, before)) one.admit()
        else before.push(one)
      }
      waiting = before
    },
    get isQuiet() {
      return running.length === 0
    },
    /**
     * The call that a message without a progress token belongs to: a call of the only client with calls in flight.
     * Undefined if no call is in flight, or if several clients have calls in flight.
     */
    ofOnlyClient(): PendingCall | undefined {
      const [first, ...others] = running
      if (others.some((other) => other.client !== first?.client)) return undefined
      return running.find((pendingCall) => pendingCall.ask !== undefined) ?? first
    },
  }
  return pendingCalls
}
