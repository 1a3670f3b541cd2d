// Reports failed starts of a server to the user: each reason once, until the server has started.

import { setNewest } from '../core/collections.ts'
import { cutLongText, onOneLine } from '../core/text.ts'
import type { Person } from '../sources/upstream/auth/person.ts'
import type { ServerState } from '../sources/upstream/lifecycle.ts'
import { StartFailure } from '../sources/upstream/start-failure.ts'

const MAX_REASON_CHARS = 500
const MAX_REASONS = 5
const MAX_PEOPLE_REPORTED = 1_000

/** Reports each reason for a failed start once, and at most MAX_REASONS of them, until the server has started. */
export function createFailureReporter(report: (reason: string) => void): (state: ServerState) => void {
  const reported = new Set<string>()
  return ({ state, reason = '', failure }) => {
    if (state === 'connected') reported.clear()
    // Compares without the server's own output, which may contain a time or a process id.
    const why = failure instanceof StartFailure ? failure.reason : reason
    if (state !== 'failed' || reported.has(why) || reported.size >= MAX_REASONS) return
    reported.add(why)
    report(`it could not be started: ${cutLongText(onOneLine(reason), MAX_REASON_CHARS)}`)
  }
}

/** Like `createFailureReporter`, separately for each person. Remembers a bounded number of people. */
export function createPersonReporter(report: (reason: string) => void): (state: ServerState, person: Person) => void {
  const reports = new Map<string, (state: ServerState) => void>()
  return (state, { key, name }) => {
    const known = reports.get(key) ?? createFailureReporter((reason) => report(`for '${name}': ${reason}`))
    setNewest(reports, key, known, MAX_PEOPLE_REPORTED)
    known(state)
  }
}
