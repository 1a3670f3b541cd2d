// Runs several commands under one timeout, one size limit and one cancellation. Batch and pipe use it.

import type { ContentBlock } from '@modelcontextprotocol/server'
import { encodeResult } from '../core/encode-result.ts'
import { fail } from '../core/errors.ts'
import type { CommandResult } from '../core/result.ts'
import type { Invocation } from './invoke.ts'
import { MAX_TIMER_MS } from './middleware/check-number.ts'
import { shareProgress } from './shared-progress.ts'

type StopReason = 'timeout' | 'cancelled'

export interface BoundedOutcome {
  /** The command's result without its content. Undefined if the timeout or a cancellation came first. */
  readonly result: CommandResult | undefined
  readonly content: readonly ContentBlock[]
  readonly durationMs: number
}

export interface BoundedRun {
  /** The reason why no further command may start, or undefined. */
  stopReason(): StopReason | undefined
  /** Ends at the timeout or at a cancellation, even if the command ignores its signal. */
  run(command: string, input: unknown): Promise<BoundedOutcome>
  close(): void
}

interface Bounds {
  readonly timeoutMs: number | undefined
  /** For all results together. */
  readonly maxBytes: number
  /** The number of commands. */
  readonly count: number
}

export function startBoundedRun(invocation: Invocation, { timeoutMs, maxBytes, count }: Bounds): BoundedRun {
  const controller = new AbortController()
  const deadline = performance.now() + (timeoutMs ?? Number.POSITIVE_INFINITY)
  const shared = invocation.progress === undefined ? undefined : shareProgress(count, invocation.progress)
  let bytesLeft = maxBytes
  let reason: StopReason | undefined
  // This listener is added first, so it runs before a command's own abort listener resolves the race.
  const stopped = new Promise<undefined>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })

  function stop(why: StopReason, cause: unknown): void {
    if (reason !== undefined) return
    reason = why
    controller.abort(cause)
  }
  const overdue = `The batch or pipe did not finish in ${timeoutMs} ms`
  const expire = () => stop('timeout', new DOMException(overdue, 'TimeoutError'))
  const cancel = () => stop('cancelled', invocation.signal.reason)

  const timer = timeoutMs === undefined ? undefined : setTimeout(expire, Math.min(timeoutMs, MAX_TIMER_MS))
  invocation.signal.addEventListener('abort', cancel, { once: true })
  if (invocation.signal.aborted) cancel()

  return {
    stopReason() {
      // The timer cannot fire while commands run synchronously, so the time is checked here too.
      if (performance.now() >= deadline) expire()
      return reason
    },
    async run(command, input) {
      const startedAt = performance.now()
      const share = shared?.start()
      const running = invocation.invoke(command, input, controller.signal, share?.report)
      const answer = await Promise.race([running, stopped])
      if (reason !== 'cancelled') share?.end()
      const durationMs = msSince(startedAt)
      if (answer === undefined) return { result: undefined, content: [], durationMs }
      // Each result is encoded alone, so that one invalid result does not fail the others. Content is kept out of the
      // JSON: a base64 image in JSON text would cost the model thousands of tokens and show nothing.
      const { body, content, bytes } = encodeResult(command, answer)
      if (bytes > bytesLeft) return { result: tooLarge(command, bytes, bytesLeft, maxBytes), content: [], durationMs }
      bytesLeft -= bytes
      return { result: body, content, durationMs }
    },
    close() {
      // After a cancellation the caller no longer waits for progress.
      if (reason !== 'cancelled') shared?.finish()
      clearTimeout(timer)
      invocation.signal.removeEventListener('abort', cancel)
    },
  }
}

function tooLarge(name: string, bytes: number, bytesLeft: number, maxBytes: number): CommandResult {
  const reason = `it is ${bytes} bytes long, but only ${bytesLeft} of the ${maxBytes} bytes for all results are left`
  return fail('INVALID_RESULT', { name, reason })
}

export function msSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}

/** The `content` field of a result that contains several results. The object is empty if there are no blocks. */
export function contentOf(parts: readonly Pick<BoundedOutcome, 'content'>[]): { content?: readonly ContentBlock[] } {
  const content = parts.flatMap((part) => part.content)
  return content.length === 0 ? {} : { content }
}
