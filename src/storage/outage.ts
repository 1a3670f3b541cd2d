// Reports a failure once when it begins, not at every attempt.

import type { OnProblem, StorageProblem } from './problem.ts'

interface Outage {
  failed(problem: StorageProblem): void
  worked(): void
}

/** On a disk that is nearly full, small writes succeed between large writes that fail. That counts as one outage. */
const QUIET_MS = 60_000

/** Reports each kind of problem when it begins, and again only if it ended and a minute has passed. */
export function createOutage(onProblem: OnProblem, now: () => number): Outage {
  const failing = new Set<StorageProblem['kind']>()
  const reportedAt = new Map<StorageProblem['kind'], number>()
  return {
    failed(problem) {
      const { kind } = problem
      const isQuiet = now() - (reportedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < QUIET_MS
      const isNew = !failing.has(kind)
      failing.add(kind)
      if (!isNew || isQuiet) return
      reportedAt.set(kind, now())
      onProblem(problem)
    },
    worked() {
      failing.clear()
    },
  }
}
