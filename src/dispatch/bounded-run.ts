// Runs the commands of a batch or pipe under one timeout, one size limit, one cancellation and one progress value.

import type { ContentBlock } from '@modelcontextprotocol/server'
import type { CommandContext } from '../core/call.ts'
import { encodeResult } from '../core/encode-result.ts'
import { fail } from '../core/errors.ts'
import type { CommandResult } from '../core/result.ts'
import type { StopSignal } from '../core/stop-signal.ts'
import { MAX_TIMER_MS } from '../core/waiting.ts'

/** The functions with which a batch or pipe runs commands by name, with all rules and middleware. */
export interface Invocation {
  /** Never rejects: every error of a command becomes a failure. */
  invoke(name: string, input: unknown, signal: StopSignal, progress?: ReportProgress): Promise<CommandResult>
  /** Reports the progress of the whole batch or pipe. Absent if the caller does not ask for progress. */
  readonly progress?: ReportProgress
  /** Whether the name is one of the server's own tools, which never run inside a batch or a pipe. */
  isBuiltin(name: string): boolean
  /** Aborts when the caller cancels the whole batch or pipe. */
  readonly signal: StopSignal
}

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
  return fail('INVALID_RESULT', { name, reason, todo: 'Ask for less data, or call it in a request of its own' })
}

export function msSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}

/** The `content` field of a result that contains several results. The object is empty if there are no blocks. */
export function contentOf(parts: readonly Pick<BoundedOutcome, 'content'>[]): { content?: readonly ContentBlock[] } {
  const content = parts.flatMap((part) => part.content)
  return content.length === 0 ? {} : { content }
}

export type ReportProgress = CommandContext['progress']

/**
 * Reports one increasing value for several commands, because a batch or pipe has one progress token. The value is the
 * number of finished commands plus the fractions of the running ones. `count` is the total.
 */
export function shareProgress(count: number, report: ReportProgress) {
  /** The fraction of each running command. */
  const running = new Map<symbol, number>()
  let ended = 0
  let sent = Number.NEGATIVE_INFINITY
  // The protocol requires increasing values. Sums of fractions in another order can differ in the last digit.
  const send = (value: number, message?: string) => {
    if (value <= sent) return
    sent = value
    report(value, count, message)
  }
  const sum = () => [...running.values()].reduce((all, fraction) => all + fraction, ended)
  return {
    /** Adds a command that starts now. Its reports are ignored after `end` was called. */
    start() {
      const command = Symbol('command')
      running.set(command, 0)
      const reportCommand: ReportProgress = (done, total, message) => {
        const before = running.get(command)
        if (before === undefined) return
        running.set(command, Math.max(before, fractionOf(done, total)))
        send(sum(), message)
      }
      const end = () => {
        if (!running.delete(command)) return
        ended++
        send(sum())
      }
      return { report: reportCommand, end }
    },
    /** Call it when all commands have ended. Commands that did not run count as done. */
    finish: () => send(count),
  }
}

/** Without a total, the fraction grows with `done` and stays below 1. */
function fractionOf(done: number, total: number | undefined): number {
  if (!Number.isFinite(done) || done <= 0) return 0
  return total !== undefined && total > 0 ? Math.min(1, done / total) : done / (done + 1)
}
