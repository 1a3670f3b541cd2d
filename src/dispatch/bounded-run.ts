// What batch and pipe share: one limit of time and of size and one cancellation over several commands, and content kept out of their JSON.

import type { ContentBlock } from '@modelcontextprotocol/server'
import { encodeResult } from '../core/encode-result.ts'
import { fail } from '../core/errors.ts'
import type { CommandResult } from '../core/result.ts'
import type { Invocation } from './invoke.ts'
import { MAX_TIMER_MS } from './middleware/check-number.ts'
import { shareProgress } from './shared-progress.ts'

export type StopReason = 'timeout' | 'cancelled'

export interface Outcome {
  /** The command's result without its content; absent when time ran out or the caller cancelled first. */
  readonly result: CommandResult | undefined
  readonly content: readonly ContentBlock[]
  readonly durationMs: number
}

export interface BoundedRun {
  /** Why nothing more may start, once that is so. */
  stopReason(): StopReason | undefined
  /** Ends when the bounds are reached, whether or not the command heeds its signal. */
  run(command: string, input: unknown): Promise<Outcome>
  close(): void
}

export interface Bounds {
  readonly timeoutMs: number | undefined
  /** Of all results together. */
  readonly maxBytes: number
  /** How many commands there are. */
  readonly count: number
}

export function startBoundedRun(invocation: Invocation, { timeoutMs, maxBytes, count }: Bounds): BoundedRun {
  const controller = new AbortController()
  const deadline = performance.now() + (timeoutMs ?? Number.POSITIVE_INFINITY)
  const shared = invocation.progress === undefined ? undefined : shareProgress(count, invocation.progress)
  let bytesLeft = maxBytes
  let reason: StopReason | undefined
  // The first listener of this signal, so that it comes before a command's own answer to being aborted.
  const stopped = new Promise<undefined>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })

  function stop(why: StopReason, cause: unknown): void {
    if (reason !== undefined) return
    reason = why
    controller.abort(cause)
  }
  const expire = () => stop('timeout', new DOMException(`Not done after ${timeoutMs} ms`, 'TimeoutError'))
  const cancel = () => stop('cancelled', invocation.signal.reason)

  const timer = timeoutMs === undefined ? undefined : setTimeout(expire, Math.min(timeoutMs, MAX_TIMER_MS))
  invocation.signal.addEventListener('abort', cancel, { once: true })
  if (invocation.signal.aborted) cancel()

  return {
    stopReason() {
      // Commands that never wait leave the timer no turn to fire in.
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
      // Each by itself: one that cannot be sent must not take the others with it. And a base64 image inside the JSON
      // text would cost the model thousands of tokens and show it nothing.
      const { body, content, bytes } = encodeResult(command, answer)
      if (bytes > bytesLeft) return { result: tooLarge(command, bytes, bytesLeft, maxBytes), content: [], durationMs }
      bytesLeft -= bytes
      return { result: body, content, durationMs }
    },
    close() {
      // After a cancellation the caller no longer waits for anything.
      if (reason !== 'cancelled') shared?.finish()
      clearTimeout(timer)
      invocation.signal.removeEventListener('abort', cancel)
    },
  }
}

function tooLarge(name: string, bytes: number, bytesLeft: number, maxBytes: number): CommandResult {
  const reason = `it is ${bytes} bytes long, and of the ${maxBytes} that all results here may have together ${bytesLeft} are left`
  return fail('INVALID_RESULT', { name, reason })
}

export function msSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}

/** For the end of a result that has several results inside: their blocks, or nothing. */
export function contentOf(parts: readonly Pick<Outcome, 'content'>[]): { content?: readonly ContentBlock[] } {
  const content = parts.flatMap((part) => part.content)
  return content.length === 0 ? {} : { content }
}
