// Opens a session that knows the tools of all needed servers that can be reached. Starts those without a cached list.

import { messageOf } from '../../core/text.ts'
import { withTimeout } from '../../core/waiting.ts'
import { loginRequiredIn } from '../../sources/upstream/auth/login-errors.ts'
import { count } from '../output/text.ts'
import type { Work } from '../output/work.ts'
import { rememberFailures } from './remember-failures.ts'
import { type CommandSession, type CommandSessionOptions, openSession } from './session.ts'
import { notStartable, type Unreachable, type Unreached } from './unreachable.ts'

export interface ServerNeed {
  /** Whether the answer needs the tools of this server. */
  isNeeded(server: string): boolean
  /** If false, servers that failed to start a short time ago are skipped, and the wait for the others is limited. */
  readonly isPatient: boolean
  /** Whether the schemas of the tools must be known too. */
  readonly withSchemas?: boolean
}

export interface ReadySession extends CommandSession {
  readonly unreached: Unreached
  /** False if the session uses only cached tools. */
  readonly canStartServers: boolean
}

type ReadyOptions = Pick<CommandSessionOptions, 'loaded' | 'startsServers' | 'ranker'>

/** How long a command that is not patient waits, so that one dead server does not block the others. */
const MAX_START_MS = 15_000

export async function openReadySession(
  work: Work,
  need: ServerNeed,
  options: ReadyOptions = {},
): Promise<ReadySession> {
  const { startsServers = false, ...given } = options
  const stored = await openSession(work, given)
  const unknown = await stored.unknown(need.withSchemas)
  const asked = stored.startable.filter(({ id }) => unknown.includes(id))
  const unreachable = notStartable(asked, work.environment, need.isPatient)
  const wanted = unknown.filter((server) => need.isNeeded(server) && !unreachable.has(server))
  if (wanted.length === 0 && !startsServers) return { ...stored, unreached: unreachable, canStartServers: false }
  await stored[Symbol.asyncDispose]()

  const without = unknown.filter((server) => !wanted.includes(server))
  const live = await openSession(work, { ...given, loaded: stored.loaded, startsServers: true, without })
  try {
    const unreached = await startServers(work, live, wanted, need.isPatient ? Number.POSITIVE_INFINITY : MAX_START_MS)
    work.signal.throwIfAborted()
    return { ...live, unreached: new Map([...unreachable, ...unreached]), canStartServers: true }
  } catch (error) {
    await live[Symbol.asyncDispose]()
    throw error
  }
}

async function startServers(
  work: Work,
  live: CommandSession,
  wanted: readonly string[],
  timeoutMs: number,
): Promise<Unreached> {
  const unreached = new Map<string, Unreachable>()
  const waiting = new Set(wanted)
  const progress = work.output.progress()
  const showProgress = () => {
    const [first = ''] = waiting
    const more = waiting.size > 1 ? ` and ${count(waiting.size - 1, 'other')}` : ''
    const whose = waiting.size > 1 ? 'their' : 'its'
    if (waiting.size > 0) progress.show(`Starting '${first}'${more} to list ${whose} tools…`)
  }
  showProgress()
  const startOne = async (server: string, timeout: AbortSignal) => {
    try {
      await live.source(server)?.ensure(timeout)
    } catch (error) {
      const isLate = timeout.aborted && !work.signal.aborted
      const reason = isLate ? `it did not answer in ${timeoutMs / 1_000} s` : messageOf(error)
      unreached.set(server, { reason, loginCommand: loginRequiredIn(error)?.command })
    }
    waiting.delete(server)
    showProgress()
  }
  await withTimeout(timeoutMs, work.signal, (timeout) => Promise.all(wanted.map((server) => startOne(server, timeout))))
  progress.clear()
  if (!work.signal.aborted) await rememberFailures(work.environment, live.startable, unreached)
  return unreached
}
