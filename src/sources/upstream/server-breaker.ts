// The shared breaker as one server uses it: reads the failures that other gateways report, and reports its own.

import { kindOf } from '../../config/connection-kinds.ts'
import { FailedElsewhere } from './failed-elsewhere.ts'
import type { Lifecycle, Running, ServerState } from './lifecycle.ts'
import { manifestKey } from './manifest.ts'
import { remedyFor } from './start-failure.ts'
import type { UpstreamSourceOptions } from './upstream.ts'

interface ServerBreakerOptions {
  readonly now: () => number
  /** Removes secrets from a reason that other gateways read. */
  redact(reason: string): string
}

interface ServerBreaker {
  /** Rejects before the first start if another gateway has just failed to start the server. */
  check(): Promise<void>
  /** Tells the other gateways that the server works, or that it cannot be started. */
  report(state: ServerState): void
  /** Pauses the server while another gateway cannot start it. Returns a function that ends this. */
  follow(lifecycle: Lifecycle<Running>): () => void
}

/** Undefined if the failures do not concern other gateways: those of a process, and of the server of one person. */
export function createServerBreaker(
  { config, share, breaker }: UpstreamSourceOptions,
  { now, redact }: ServerBreakerOptions,
): ServerBreaker | undefined {
  if (breaker === undefined || share !== undefined || kindOf(config.connection).isProcess) return undefined
  const key = manifestKey(config)
  let isChecked = false
  return {
    async check() {
      if (isChecked) return
      isChecked = true
      const failure = await breaker.read(key)
      if (failure !== undefined) throw failure
    },
    report({ state, failure, failures = 1, reason = '', retryAt = 0 }) {
      if (state === 'connected') breaker.works(key)
      // A missing login or variable does not concern the other gateways.
      if (state !== 'failed' || failure instanceof FailedElsewhere || remedyFor(failure) !== undefined) return
      breaker.failed(key, { reason: redact(reason), waitMs: retryAt - now(), failures })
    },
    follow: (lifecycle) =>
      breaker.follow(key, (failure) => {
        if (failure !== undefined) lifecycle.pause(failure)
        else if (lifecycle.state().failure instanceof FailedElsewhere) lifecycle.endPause()
      }),
  }
}
