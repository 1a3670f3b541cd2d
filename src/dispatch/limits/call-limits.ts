// The limits of a gateway for each principal and each server: calls per minute, and calls at the same time.

import type { Config } from '../../config/config.ts'
import type { Caller } from '../../core/call.ts'
import { fail } from '../../core/errors.ts'
import type { FailureResult } from '../../core/result.ts'
import type { StopSignal } from '../../core/stop-signal.ts'
import { personOf } from '../../sources/upstream/auth/person.ts'
import type { CallCounters, TakeResult } from './counters.ts'
import type { SlotResult, Slots } from './slots.ts'

/** A field that is absent sets no limit. */
export type CallLimitSettings = Partial<Pick<Config['limits'], 'perPrincipal' | 'perServer'>>

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
  readonly slots: Slots
}

type Scope = 'principal' | 'server'

const MINUTE_MS = 60_000
/** The advised delay if a call gets no slot: the time of a typical call. */
const RETRY_MS = 1_000
/** The result of passing a rate limit: the call holds no slot. */
const NOTHING_TO_LEAVE: Admitted = { leave: () => {} }

/** Returns the gate that applies the limits. Undefined if the settings have no limits. */
export function gateFor(
  { perPrincipal, perServer }: CallLimitSettings,
  { counters, slots }: CallLimitsOptions,
): CallGate | undefined {
  // Rates are checked first, so that a call does not wait for a slot before it is refused.
  const steps = [...stepsOf('principal', perPrincipal), ...stepsOf('server', perServer)].toSorted(
    (a, b) => Number(b.isRate) - Number(a.isRate),
  )
  if (steps.length === 0) return undefined

  /** Passes the steps from the position `at` on. `held` has an entry for each step that the call has passed. */
  const passSteps = (
    call: LimitedCall,
    person: string,
    at: number,
    held: readonly Admitted[],
  ): ReturnType<CallGate> => {
    const step = steps[at]
    if (step === undefined) return { leave: () => leaveAll(held) }
    const key = `${step.scope}:${step.scope === 'principal' ? person : call.server}`
    const result = step.isRate
      ? counters.take(key, step.limit, MINUTE_MS)
      : slots.enter(key, step.limit, person, call.signal)
    const proceed = (answer: TakeResult | SlotResult): ReturnType<CallGate> => {
      const passed = toAdmission(call, step, answer)
      if (!('error' in passed)) return passSteps(call, person, at + 1, [...held, passed])
      leaveAll(held)
      return passed
    }
    if (!('then' in result)) return proceed(result)
    // The caller's signal ends the wait for a slot.
    return result.then(proceed, (error: unknown) => {
      leaveAll(held)
      throw error
    })
  }
  return (call) => passSteps(call, personOf(call.caller).key, 0, [])
}

interface Step {
  readonly scope: Scope
  readonly limit: number
  /** True for calls per minute, false for calls at the same time. */
  readonly isRate: boolean
}

function stepsOf(scope: Scope, { callsPerMinute, concurrent }: CallLimitSettings['perServer'] = {}): readonly Step[] {
  return [
    ...(callsPerMinute === undefined ? [] : [{ scope, limit: callsPerMinute, isRate: true }]),
    ...(concurrent === undefined ? [] : [{ scope, limit: concurrent, isRate: false }]),
  ]
}

function toAdmission({ name, server }: LimitedCall, { scope, limit }: Step, result: TakeResult | SlotResult) {
  const details = { limit, scope, ...(scope === 'server' ? { server } : {}) }
  if ('ok' in result) {
    if (result.ok) return NOTHING_TO_LEAVE
    const { retryAfterMs } = result
    if (result.isUnknown === true) return limitsUnavailable(name, retryAfterMs)
    return fail(
      'RATE_LIMITED',
      { name, limit, windowMs: MINUTE_MS, scope, server, retryAfterMs },
      { details: { ...details, windowMs: MINUTE_MS, retryAfterMs } },
    )
  }
  if (result.kind === 'free') return result
  if (result.kind === 'cancelled') return fail('CANCELLED', { name })
  if (result.kind === 'unknown') return limitsUnavailable(name, RETRY_MS)
  return fail(
    'RATE_LIMITED',
    { name, limit, scope, server, retryAfterMs: RETRY_MS },
    { details: { ...details, concurrent: true, retryAfterMs: RETRY_MS } },
  )
}

function limitsUnavailable(name: string, retryAfterMs: number): FailureResult {
  return fail('LIMITS_UNAVAILABLE', { name, retryAfterMs }, { details: { retryAfterMs } })
}

function leaveAll(held: readonly Admitted[]): void {
  for (const { leave } of held) leave()
}
