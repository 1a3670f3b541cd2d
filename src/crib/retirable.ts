// A source that is closed when the calls it has taken are over, not before.

import type { UpstreamSource } from '../sources/upstream/upstream-source.ts'

export interface Retirable {
  readonly source: UpstreamSource
  /** Closes it once nothing runs, or after `graceMs`. Never rejects. */
  retire(graceMs?: number): Promise<void>
}

/** As long as a call may take by default. */
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
