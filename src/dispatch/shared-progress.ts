// One progress value for several commands: a client has one token for the whole batch or pipe, and its value must rise.

import type { CommandContext } from '../core/call.ts'

export type Progress = CommandContext['progress']

export interface SharedProgress {
  /** For one command that starts now. */
  start(): ProgressShare
  /** All of them have ended: those that did not run count as done too. */
  finish(): void
}

export interface ProgressShare {
  readonly report: Progress
  /** The command has ended: it counts as done, and what it reports later is dropped. */
  end(): void
}

/** Reports how many of `count` commands are done, with the fractions of those that run. */
export function shareProgress(count: number, report: Progress): SharedProgress {
  const running = new Map<ProgressShare, number>()
  let ended = 0
  let sent = Number.NEGATIVE_INFINITY
  // The protocol wants each value above the one before. Sums of fractions in another order can differ in the last digit.
  const send = (value: number, message?: string) => {
    if (value <= sent) return
    sent = value
    report(value, count, message)
  }
  const sum = () => [...running.values()].reduce((all, fraction) => all + fraction, ended)
  return {
    start() {
      const share: ProgressShare = {
        report(done, total, message) {
          const before = running.get(share)
          if (before === undefined) return
          running.set(share, Math.max(before, fractionOf(done, total)))
          send(sum(), message)
        },
        end() {
          if (!running.delete(share)) return
          ended++
          send(sum())
        },
      }
      running.set(share, 0)
      return share
    },
    finish: () => send(count),
  }
}

/** Below 1 also without a total: each further report of such a command is a smaller part of the rest. */
function fractionOf(done: number, total: number | undefined): number {
  if (!Number.isFinite(done) || done <= 0) return 0
  return total !== undefined && total > 0 ? Math.min(1, done / total) : done / (done + 1)
}
