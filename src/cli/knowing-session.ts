// A session that knows what it is asked about: servers of which nothing is known are asked first, those and no others.

import { withPatience } from '../core/patience.ts'
import { messageOf } from '../core/text.ts'
import { manifestKey } from '../sources/upstream/manifest.ts'
import { count } from './output/text.ts'
import { openSession, type Session, type SessionOptions } from './session.ts'
import { recentFailures, rememberFailures } from './unreachable.ts'
import { describeUnset, howToSet, unsetNames } from './unset-variables.ts'
import type { Work } from './work.ts'

export interface Need {
  /** Whether this server must be known for the answer. */
  isNeeded(server: string): boolean
  /** One that could not be started a moment ago is not tried again. */
  readonly isPatient: boolean
  /** The schemas of its tools must be known too. */
  readonly withSchemas?: boolean
}

/** Why a server is still unknown. */
export type Unreached = ReadonlyMap<string, string>

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
  const failedBefore = need.isPatient
    ? new Map<string, string>()
    : await recentFailures(work.environment, keyed(stored, unknown))
  const wanted = unknown.filter((server) => need.isNeeded(server) && !failedBefore.has(server))
  if (wanted.length === 0 && !startsServers) return { ...stored, unreached: failedBefore, isLive: false }
  await stored[Symbol.asyncDispose]()

  const without = unknown.filter((server) => !wanted.includes(server))
  const live = await openSession(work, { ...given, loaded: stored.loaded, startsServers: true, without })
  try {
    const unreached = await ask(work, live, wanted, need.isPatient ? Number.POSITIVE_INFINITY : PATIENCE_MS)
    work.signal.throwIfAborted()
    return { ...live, unreached: new Map([...failedBefore, ...unreached]), isLive: true }
  } catch (error) {
    await live[Symbol.asyncDispose]()
    throw error
  }
}

async function ask(work: Work, live: Session, wanted: readonly string[], patienceMs: number): Promise<Unreached> {
  const unreached = new Map<string, string>()
  const lacking = unsetOf(work, live)
  const waiting = new Set(wanted)
  const progress = work.output.progress()
  const say = () => {
    const [first = ''] = waiting
    const more = waiting.size > 1 ? ` and ${count(waiting.size - 1, 'other')}` : ''
    if (waiting.size > 0) progress.say(`Starting ${first}${more} to learn what they can do…`)
  }
  say()
  const askOne = async (server: string, patience: AbortSignal) => {
    try {
      await live.source(server)?.ensure(patience)
    } catch (error) {
      const isLate = patience.aborted && !work.signal.aborted
      const reason = isLate ? `it did not answer in ${patienceMs / 1_000} s` : messageOf(error)
      unreached.set(server, lacking.get(server) ?? reason)
    }
    waiting.delete(server)
    say()
  }
  await withPatience(patienceMs, work.signal, (patience) =>
    Promise.all(wanted.map((server) => askOne(server, patience))),
  )
  progress.clear()
  // A variable may be set a moment later, and can be looked up without a start.
  const remembered = new Map([...unreached].filter(([server]) => !lacking.has(server)))
  if (!work.signal.aborted) await rememberFailures(work.environment, keyed(live), remembered)
  return unreached
}

/** What is missing and where to put it, by server. */
function unsetOf({ environment }: Work, { loaded }: Session): Unreached {
  return new Map(
    loaded.servers.flatMap(({ name, connection }) => {
      const names = unsetNames(connection, environment.env)
      return names.length === 0 ? [] : [[name, `${describeUnset(names)}; ${howToSet(names, environment)}`] as const]
    }),
  )
}

function keyed({ loaded }: Session, names?: readonly string[]) {
  const servers = names === undefined ? loaded.servers : loaded.servers.filter(({ name }) => names.includes(name))
  return servers.map((server) => ({ id: server.name, key: manifestKey(server) }))
}
