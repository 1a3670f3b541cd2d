// Asks a server for its tools: one request at a time, and less often if the server reports changes again and again.

import { once } from 'node:events'
import { messageOf } from '../../core/text.ts'
import { timeLimit } from '../../core/waiting.ts'
import type { Session } from './session.ts'
import type { ListProblem, ToolList } from './tool-list.ts'
import type { UpstreamTools } from './upstream-tools.ts'

export type Listing = ReturnType<typeof createListing>

interface UpstreamListingOptions {
  readonly known: UpstreamTools
  /** Absent if this is the only source that lists the tools of the server. */
  readonly share?: ListShare | undefined
  readonly now: () => number
  onProblem(reason: string): void
}

/** Decides whether the list of one person's server replaces the list of tools that all people see. */
export interface ListShare {
  /** True if the list of this person may replace the shared list. */
  mayReplace(): boolean
  /** Called just before the list of this person replaces the shared list. */
  onReplaced(): void
  redact<T>(value: T): T
}

/** Requests within this time count for the delay of the next request. The delay is never longer than this. */
const RATE_WINDOW_MS = 60_000
/** The delay of the third request within the window. It doubles with each further request. */
const FIRST_DELAY_MS = 100

export function createListing({ known, share, now, onProblem }: UpstreamListingOptions) {
  const closing = new AbortController()
  let wanted: Session | undefined
  let lastListed: Session | undefined
  let isPartOfStart = false
  let refreshing: Promise<string | undefined> | undefined
  let refreshedAt: number[] = []

  const fetchOnce = async (session: Session) => {
    if (share?.mayReplace() === false) return
    const list = await session.listTools(closing.signal)
    for (const reason of summarize(list.problems)) onProblem(reason)
    // Another person may have listed the tools meanwhile.
    if (share?.mayReplace() === false) return
    share?.onReplaced()
    await (share === undefined ? known.take(session, list) : known.take(...redactList(session, list, share)))
  }

  /** Delays the requests to a server that reports a change after every request. */
  const delayIfOften = async () => {
    refreshedAt = refreshedAt.filter((time) => time > now() - RATE_WINDOW_MS)
    const waitMs = isPartOfStart || refreshedAt.length < 2 ? 0 : FIRST_DELAY_MS * 2 ** (refreshedAt.length - 2)
    refreshedAt.push(now())
    if (waitMs === 0 || closing.signal.aborted) return
    await once(timeLimit(Math.min(waitMs, RATE_WINDOW_MS), closing.signal), 'abort')
  }

  const run = async (): Promise<string | undefined> => {
    let fault: string | undefined
    try {
      await delayIfOften()
      // The session is read after the delay, because the server may have been restarted.
      const session = wanted
      wanted = undefined
      if (session !== undefined && !closing.signal.aborted) {
        await fetchOnce(session)
        lastListed = session
      }
    } catch (error) {
      fault = `its tools could not be listed: ${messageOf(error)}`
      if (!closing.signal.aborted && !isPartOfStart) onProblem(fault)
    }
    // If a refresh was requested during this one, it runs next. Callers of this one do not wait for it.
    refreshing = wanted === undefined || closing.signal.aborted ? undefined : run()
    return fault
  }

  return {
    known,
    /**
     * Asks the server for its list, with one request at a time. Never rejects: resolves with the reason if the list
     * could not be fetched, and reports it. As a part of a start, the request is not delayed, and the start reports it.
     */
    refresh(session: Session, isStart = false): Promise<string | undefined> {
      wanted = session
      isPartOfStart = isStart
      refreshing ??= run()
      return refreshing
    },
    get refreshing() {
      return refreshing
    },
    /** True if the last list came from this session, or if the list of another person stayed in use instead. */
    hasListed: (session: Session) => session === lastListed,
    dispose: () => closing.abort(),
  }
}

/** Removes the secrets of this person, because all people see the list. */
function redactList(session: Session, list: ToolList, { redact }: ListShare): Parameters<UpstreamTools['take']> {
  const { capabilities, era, isEraAssumed, serverInfo, instructions } = session
  const described = { capabilities, era, isEraAssumed, ...redact({ serverInfo, instructions }) }
  // Calls send the name, so it stays unchanged.
  const tools = list.tools.map((tool) => ({ ...redact(tool), name: tool.name }))
  const sent = new Map([...list.sent].map(([name, tool]) => [name, redact(tool)]))
  return [described, { tools, sent, problems: redact(list.problems) }]
}

const MAX_REPORTED = 10

function summarize(problems: readonly ListProblem[]): readonly string[] {
  const reasons = problems.slice(0, MAX_REPORTED).map(({ reason }) => reason)
  const more = problems.length - MAX_REPORTED
  return more <= 0 ? reasons : [...reasons, `${more} more ${more === 1 ? 'problem' : 'problems'} in its list`]
}
