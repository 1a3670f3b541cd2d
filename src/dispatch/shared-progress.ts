// One increasing progress value for several commands, because a whole batch or pipe has one progress token.

import type { CommandContext } from '../core/call.ts'

export type ReportProgress = CommandContext['progress']

interface SharedProgress {
  /** Adds a command that starts now. */
  start(): ProgressShare
  /** Call it when all commands have ended. Commands that did not run count as done. */
  finish(): void
}

interface ProgressShare {
  readonly report: ReportProgress
  /** Call it when the command has ended. It then counts as done, and its later reports are ignored. */
  end(): void
}

/** Reports the number of finished commands plus the fractions of the running ones. `count` is the total. */
export function shareProgress(count: number, report: ReportProgress): SharedProgress {
  const running = new Map<ProgressShare, number>()
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

/** Without a total, the fraction stays below 1: each further report adds a smaller part. */
function fractionOf(done: number, total: number | undefined): number {
  if (!Number.isFinite(done) || done <= 0) return 0
  return total !== undefined && total > 0 ? Math.min(1, done / total) : done / (done + 1)
}
