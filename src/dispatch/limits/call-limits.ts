// The limits of a gateway for each principal and each server: calls per minute, and calls at the same time.

import type { Caller } from '../../core/call.ts'
import { fail } from '../../core/errors.ts'
import type { FailureResult } from '../../core/result.ts'
import type { StopSignal } from '../../core/stop-signal.ts'
import { personOf } from '../../sources/upstream/person.ts'
import type { CallCounters, Taken } from './counters.ts'
import { createSlots, type SlotResult, type Slots } from './slots.ts'

/** Absent: no limit. */
interface CallLimit {
  readonly callsPerMinute?: number | undefined
  readonly concurrent?: number | undefined
}

export interface CallLimitSettings {
  readonly perPrincipal?: CallLimit | undefined
  readonly perServer?: CallLimit | undefined
}

/** A call that has passed the limits. `leave` must be called when it is over. */
interface Admitted {
  leave(): void
}

export interface LimitedCall {
  readonly name: string
  readonly server: string
  readonly caller: Caller
  readonly signal: StopSignal
}

/** Returns no promise if the counters are in memory and the call need not wait. */
export type CallGate = (call: LimitedCall) => Admitted | FailureResult | Promise<Admitted | FailureResult>

interface CallLimitsOptions {
  readonly counters: CallCounters
  /** Default: in memory. */
  readonly slots?: Slots
}

type Scope = 'principal' | 'server'

const MINUTE_MS = 60_000
/** When to try again if too many calls wait: the time of a typical call. */
const RETRY_MS = 1_000
const NOTHING: Admitted = { leave: () => {} }

/** Undefined if the settings have no limits. */
export function gateFor(
  { perPrincipal, perServer }: CallLimitSettings,
  { counters, slots = createSlots() }: CallLimitsOptions,
): CallGate | undefined {
  const limits = [
    ...limitsOf('principal', perPrincipal, ({ person }) => person),
    ...limitsOf('server', perServer, ({ server }) => server),
  ]
  if (limits.length === 0) return undefined
  // Rates first, so that a call does not wait for a slot before it is refused.
  const steps = [...limits.filter(({ isRate }) => isRate), ...limits.filter(({ isRate }) => !isRate)]

  const pass = (call: LimitedCall, person: string, from: number, held: readonly Admitted[]): ReturnType<CallGate> => {
    for (let at = from; at < steps.length; at++) {
      const step = steps[at] as Step // `at` is below the length
      const key = step.keyOf({ person, server: call.server })
      const result = step.isRate
        ? counters.take(key, step.limit, MINUTE_MS)
        : slots.enter(key, step.limit, person, call.signal)
      if ('then' in result) {
        // The remaining steps run after the answer. If no answer comes, the caller's signal ends the wait.
        const goOn = (answer: Taken | SlotResult) => {
          const passed = settle(call, step, answer)
          if ('error' in passed) return release(held, passed)
          return pass(call, person, at + 1, [...held, passed])
        }
        return result.then(goOn, (error: unknown) => {
          leaveAll(held)
          throw error
        })
      }
      const passed = settle(call, step, result)
      if ('error' in passed) return release(held, passed)
      if (passed !== NOTHING) held = [...held, passed]
    }
    const [only = NOTHING] = held
    return held.length < 2 ? only : { leave: () => leaveAll(held) }
  }
  return (call) => pass(call, personOf(call.caller).key, 0, [])
}

interface Step {
  readonly scope: Scope
  readonly limit: number
  readonly isRate: boolean
  keyOf(call: { readonly person: string; readonly server: string }): string
}

function limitsOf(
  scope: Scope,
  { callsPerMinute, concurrent }: CallLimit = {},
  who: (call: { readonly person: string; readonly server: string }) => string,
): readonly Step[] {
  const step = (limit: number | undefined, isRate: boolean): readonly Step[] =>
    limit === undefined ? [] : [{ scope, limit, isRate, keyOf: (call) => `${scope}:${who(call)}` }]
  return [...step(callsPerMinute, true), ...step(concurrent, false)]
}

function settle({ name, server }: LimitedCall, { scope, limit, isRate }: Step, result: Taken | SlotResult) {
  const details = { limit, scope, ...(scope === 'server' ? { server } : {}) }
  if ('ok' in result) {
    if (result.ok) return NOTHING
    const { retryAfterMs } = result
    if (result.isUnknown === true) return unknown(name, retryAfterMs)
    return fail(
      'RATE_LIMITED',
      { name, limit, windowMs: MINUTE_MS, scope, server, retryAfterMs },
      { details: { ...details, windowMs: MINUTE_MS, retryAfterMs } },
    )
  }
  if (result.kind === 'free') return result
  if (result.kind === 'cancelled') return fail('CANCELLED', { name })
  if (result.kind === 'unknown') return unknown(name, RETRY_MS)
  return fail(
    'RATE_LIMITED',
    { name, limit, scope, server, retryAfterMs: RETRY_MS },
    { details: { ...details, concurrent: !isRate, retryAfterMs: RETRY_MS } },
  )
}

function unknown(name: string, retryAfterMs: number): FailureResult {
  return fail('LIMITS_UNAVAILABLE', { name, retryAfterMs }, { details: { retryAfterMs } })
}

function release(held: readonly Admitted[], failure: FailureResult): FailureResult {
  leaveAll(held)
  return failure
}

function leaveAll(held: readonly Admitted[]): void {
  for (const { leave } of held) leave()
}
