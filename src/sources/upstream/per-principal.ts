// A server with a process or connection for each person: one list of tools, and one source per person behind it.

import type { Connection } from '../../config/server-config.ts'
import type { Caller } from '../../core/call.ts'
import { errorOf, fail } from '../../core/errors.ts'
import type { FailureResult } from '../../core/result.ts'
import { LOCAL_PERSON, type Person, personOf, remotePerson } from './auth/person.ts'
import { infoOf } from './info.ts'
import type { ServerState } from './lifecycle.ts'
import { createPeoplePool } from './people-pool.ts'
import { settingsFor } from './settings.ts'
import type { UpstreamShare, UpstreamSource, UpstreamSourceOptions } from './upstream.ts'
import { createUpstreamSource } from './upstream-source.ts'
import { createUpstreamTools } from './upstream-tools.ts'

interface PerPrincipalOptions
  extends Omit<UpstreamSourceOptions, 'resolve' | 'share' | 'owner' | 'ownRoots' | 'onState' | 'onOutput'> {
  /** Replaces the references with the values of this person. If it rejects, the server of this person cannot start. */
  resolveFor(person: Person, connection: Connection): Promise<Connection>
  /** Identifies the values of the person. If they change, the person gets a new source. */
  valuesKey(person: Person): string
  readonly maxPeople?: number | undefined
  onState?(state: ServerState, person: Person): void
  onOutput?(lines: readonly string[], person: Person): void
}

export const MAX_PEOPLE = 100
/** When to try again if all sources are in use. */
const BUSY_MS = 1_000
const NOT_STARTED: ServerState = { state: 'known', since: 0 }

export function createPerPrincipalSource(given: PerPrincipalOptions): UpstreamSource {
  const { resolveFor, valuesKey, onState, onOutput, ...shared } = given
  const { config, maxPeople = MAX_PEOPLE, now = Date.now, onProblem } = given
  const settings = settingsFor(config, given.options)
  const known = createUpstreamTools({ ...given, now, onProblem: (reason) => onProblem?.(reason) })
  /** The current list of tools comes from the server of this person. */
  let lister: Person | undefined
  let isClosed = false

  const shareOf = (person: Person): UpstreamShare => ({
    known,
    // Two people can have different lists. The list of the first one stays as long as their server runs: otherwise the
    // list would change with every person who connects.
    mayReplace: () =>
      known.manifest === undefined ||
      lister === undefined ||
      lister.key === person.key ||
      pool.find(lister)?.state().state !== 'connected',
    onReplaced() {
      lister = person
    },
    isFresh: () => known.manifest !== undefined && now() - known.manifest.fetchedAt <= settings.ttlMs,
  })
  const create = (person: Person, othersClosed: Promise<void>): UpstreamSource =>
    createUpstreamSource({
      ...shared,
      share: shareOf(person),
      owner: person.owner,
      async resolve(connection) {
        await othersClosed
        return resolveFor(person, connection)
      },
      onProblem: (reason) => onProblem?.(`for '${person.name}': ${reason}`),
      onState: (state) => onState?.(state, person),
      ...(onOutput === undefined ? {} : { onOutput: (lines) => onOutput(lines, person) }),
    })
  const pool = createPeoplePool<UpstreamSource>({ maxPeople, valuesKey, create })

  const use = <T>(person: Person, work: (source: UpstreamSource) => Promise<T>): Promise<T> | undefined =>
    isClosed ? undefined : pool.use(person, work)
  const busy = { server: config.name, people: maxPeople, retryAfterMs: BUSY_MS }
  const busyFailure = (): FailureResult =>
    fail('SERVER_BUSY', busy, { details: { server: config.name, retryAfterMs: BUSY_MS } })
  /** Rejects if all sources are in use. For functions that cannot return a failure. */
  const orReject = async <T>(work: Promise<T> | undefined): Promise<T> => {
    if (work !== undefined) return work
    throw new Error(errorOf('SERVER_BUSY', busy).message)
  }
  const personOrLocal = (caller: Caller | undefined) => (caller === undefined ? LOCAL_PERSON : personOf(caller))
  const local = () => pool.find(LOCAL_PERSON)

  return {
    id: config.name,
    isPerPrincipal: true,
    remedy: given.remedy,
    // Does not start a server, because the list does not belong to one person.
    async list() {
      await known.load()
      return known.entries
    },
    call: (name, input, context, signal) =>
      use(personOf(context.caller), (source) => source.call(name, input, context, signal)) ??
      Promise.resolve(busyFailure()),
    onChange: known.onChange,
    // Shows the state of the caller's own server, because a reason can contain what the server of a person has printed.
    info: (caller) => infoOf(config, known.manifest, pool.find(personOrLocal(caller))?.state() ?? NOT_STARTED),
    async describe(name, context) {
      const described = use(personOf(context.caller), async (source) => source.describe?.(name, context))
      return (await described) ?? busyFailure()
    },
    logIn: async (context, signal) =>
      (await use(personOf(context.caller), async (source) => source.logIn?.(context, signal))) ?? false,
    settle(withSchemas = false, caller) {
      if (caller === undefined || !known.isMissing(withSchemas)) return undefined
      const find = async () => {
        await known.load()
        if (known.isMissing(withSchemas)) await use(personOf(caller), async (source) => source.settle?.(withSchemas))
      }
      return find()
    },
    waitLeft: (waitMs, caller) => pool.find(personOrLocal(caller))?.waitLeft?.(waitMs) ?? waitMs,
    state: () => local()?.state() ?? NOT_STARTED,
    async manifest() {
      await known.load()
      return known.manifest
    },
    ensure: (signal) => orReject(use(LOCAL_PERSON, (source) => source.ensure(signal))),
    refresh: (signal) => orReject(use(LOCAL_PERSON, (source) => source.refresh(signal))),
    revalidate: (caller) => (caller === undefined ? undefined : pool.find(personOf(caller))?.revalidate()),
    request: (method, params, signal, context) =>
      orReject(use(personOrLocal(context?.caller), (source) => source.request(method, params, signal, context))),
    watch: (uri, signal) => orReject(use(LOCAL_PERSON, (source) => source.watch(uri, signal))),
    unwatch: (uri, signal) => orReject(use(LOCAL_PERSON, (source) => source.unwatch(uri, signal))),
    rootsChanged: async () => {},
    onNotification: () => () => {},
    relaysInput: true,
    givesJson: true,
    environment: () => local()?.environment(),
    protocolVersion: () => local()?.protocolVersion(),
    stderr: () => local()?.stderr() ?? '',
    dismiss: (principal) => pool.remove(remotePerson(principal)),
    async stop() {
      await Promise.all(pool.sources().map((source) => source.stop()))
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      known.dispose()
      await pool[Symbol.asyncDispose]()
    },
  }
}
