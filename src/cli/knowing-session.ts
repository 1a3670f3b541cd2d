// A session that knows what it is asked about: servers of which nothing is known are asked first, those and no others.

import { messageOf } from '../core/text.ts'
import { withTimeout } from '../core/with-timeout.ts'
import { count } from './output/text.ts'
import { rememberFailures } from './remember-failures.ts'
import { openSession, type Session, type SessionOptions } from './session.ts'
import { recentFailures, type Unreached, unsetOf } from './unreachable.ts'
import type { Work } from './work.ts'

export interface Need {
  /** Whether this server must be known for the answer. */
  isNeeded(server: string): boolean
  /** One that could not be started a moment ago is not tried again. */
  readonly isPatient: boolean
  /** The schemas of its tools must be known too. */
  readonly withSchemas?: boolean
}

export interface KnowingSession extends Session {
  readonly unreached: Unreached
  /** Servers may have been started for it. */
  readonly isLive: boolean
}

export type KnowingOptions = Pick<SessionOptions, 'loaded' | 'startsServers' | 'ranker'>

/** Of a search: one dead server must not keep the others from answering. Else a server has its own time to start. */
const PATIENCE_MS = 15_000

export async function openKnowing(work: Work, need: Need, options: KnowingOptions = {}): Promise<KnowingSession> {
  const { startsServers = false, ...given } = options
  const stored = await openSession(work, given)
  const unknown = await stored.unknown(need.withSchemas)
  const asked = stored.startable.filter(({ id }) => unknown.includes(id))
  const failed: Unreached = need.isPatient ? new Map() : recentFailures(work.environment, asked)
  // A server that lacks a variable is not started: the reason is known, and the others can be answered from a file.
  const unreachable = new Map([...failed, ...unsetOf(asked, work.environment)])
  const wanted = unknown.filter((server) => need.isNeeded(server) && !unreachable.has(server))
  if (wanted.length === 0 && !startsServers) return { ...stored, unreached: unreachable, isLive: false }
  await stored[Symbol.asyncDispose]()

  const without = unknown.filter((server) => !wanted.includes(server))
  const live = await openSession(work, { ...given, loaded: stored.loaded, startsServers: true, without })
  try {
    const unreached = await ask(work, live, wanted, need.isPatient ? Number.POSITIVE_INFINITY : PATIENCE_MS)
    work.signal.throwIfAborted()
    return { ...live, unreached: new Map([...unreachable, ...unreached]), isLive: true }
  } catch (error) {
    await live[Symbol.asyncDispose]()
    throw error
  }
}

async function ask(work: Work, live: Session, wanted: readonly string[], patienceMs: number): Promise<Unreached> {
  const unreached = new Map<string, string>()
  const waiting = new Set(wanted)
  const progress = work.output.progress()
  const say = () => {
    const [first = ''] = waiting
    const more = waiting.size > 1 ? ` and ${count(waiting.size - 1, 'other')}` : ''
    const whose = waiting.size > 1 ? 'their' : 'its'
    if (waiting.size > 0) progress.say(`Starting '${first}'${more} to list ${whose} tools…`)
  }
  say()
  const askOne = async (server: string, patience: AbortSignal) => {
    try {
      await live.source(server)?.ensure(patience)
    } catch (error) {
      const isLate = patience.aborted && !work.signal.aborted
      const reason = isLate ? `it did not answer in ${patienceMs / 1_000} s` : messageOf(error)
      unreached.set(server, reason)
    }
    waiting.delete(server)
    say()
  }
  await withTimeout(patienceMs, work.signal, (patience) =>
    Promise.all(wanted.map((server) => askOne(server, patience))),
  )
  progress.clear()
  if (!work.signal.aborted) await rememberFailures(work.environment, live.startable, unreached)
  return unreached
}
