// A source that is closed after its in-flight calls have finished, or after a time limit.

import type { UpstreamSource } from '../sources/upstream/upstream-source.ts'

export interface Retirable {
  readonly source: UpstreamSource
  /** Closes the source when no call is in flight, or after `graceMs`. Never rejects. */
  retire(graceMs?: number): Promise<void>
}

/** The same as the default timeout of a call. */
const GRACE_MS = 60_000

export function createRetirable(source: UpstreamSource): Retirable {
  let running = 0
  let onIdle: (() => void) | undefined
  return {
    source: {
      ...source,
      async call(name, input, context, signal) {
        running++
        try {
          return await source.call(name, input, context, signal)
        } finally {
          running--
          if (running === 0) onIdle?.()
        }
      },
    },
    async retire(graceMs = GRACE_MS) {
      if (running > 0) {
        await new Promise<void>((resolve) => {
          onIdle = resolve
          setTimeout(resolve, graceMs).unref()
        })
      }
      await source[Symbol.asyncDispose]().catch(() => {})
    },
  }
}
