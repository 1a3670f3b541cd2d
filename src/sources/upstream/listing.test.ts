import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ServerConfig } from '../../config/server-config.ts'
import { createMemoryStore } from '../../storage/memory.ts'
import type { Store } from '../../storage/store.ts'
import { createListing } from './listing.ts'
import type { Session } from './session.ts'
import type { ToolList } from './tool-list.ts'
import { configOf, fixture, validator } from './upstream.fixture.ts'
import { createUpstreamTools } from './upstream-tools.ts'

const listOf = (...names: readonly string[]): ToolList => ({
  tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })),
  sent: new Map(),
  problems: [],
})

function sessionOf(listTools: Session['listTools']): Session {
  return {
    era: 'legacy',
    protocolVersion: undefined,
    isEraAssumed: false,
    serverInfo: undefined,
    instructions: undefined,
    capabilities: {},
    closed: new Promise(() => {}),
    listTools,
    call: () => Promise.reject(new Error('not part of this test')),
    request: () => Promise.reject(new Error('not part of this test')),
    watch: () => Promise.reject(new Error('not part of this test')),
    unwatch: () => Promise.reject(new Error('not part of this test')),
    rootsChanged: async () => {},
    close: async () => {},
  }
}

function listingOf(config: Partial<ServerConfig> = {}, store: Store = createMemoryStore()) {
  const problems: string[] = []
  const onProblem = (reason: string) => void problems.push(reason)
  const known = createUpstreamTools({
    config: configOf(fixture('hang'), config),
    store,
    validator,
    now: Date.now,
    onProblem,
  })
  const listing = createListing({ known, now: Date.now, onProblem })
  onTestFinished(() => listing.dispose())
  let changes = 0
  known.onChange(() => changes++)
  const names = () => known.entries.map(({ name }) => name)
  return { listing, known, problems, names, changes: () => changes }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a listing', () => {
  it('lists the declared tools until the server has listed its own', async () => {
    const { listing, known, names, changes } = listingOf({ tools: [{ name: 'declared' }] })
    expect(names()).toEqual(['declared'])
    expect(known.entries[0]?.description).toContain('declared')
    await listing.refresh(sessionOf(async () => listOf('real')))
    expect(names()).toEqual(['real'])
    expect(changes()).toBe(1)
  })

  it('notifies of the first list and of every change, but not of an equal list', async () => {
    const { listing, changes } = listingOf()
    await listing.refresh(sessionOf(async () => listOf()))
    expect(changes()).toBe(1)
    await listing.refresh(sessionOf(async () => listOf()))
    expect(changes()).toBe(1)
    const refreshed = listing.refresh(sessionOf(async () => listOf('new')))
    await vi.runAllTimersAsync()
    await refreshed
    expect(changes()).toBe(2)
  })

  it('asks for the list exactly once more if it changes several times during a request', async () => {
    const { listing } = listingOf()
    let asked = 0
    const answers: ((list: ToolList) => void)[] = []
    const session = sessionOf(() => {
      asked++
      return new Promise((resolve) => answers.push(resolve))
    })
    void listing.refresh(session)
    await vi.advanceTimersByTimeAsync(0)
    for (let change = 0; change < 3; change++) void listing.refresh(session)
    answers[0]?.(listOf())
    await vi.advanceTimersByTimeAsync(0)
    answers[1]?.(listOf())
    await vi.advanceTimersByTimeAsync(60_000)
    expect(asked).toBe(2)
    expect(listing.refreshing).toBeUndefined()
  })

  it('asks for the list less and less often if the server always reports changes', async () => {
    const { listing } = listingOf()
    let asked = 0
    const restless: Session = sessionOf(async () => {
      asked++
      void listing.refresh(restless)
      return listOf(`tool-${asked}`)
    })
    void listing.refresh(restless)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(asked).toBeGreaterThan(5)
    expect(asked).toBeLessThan(15)
  })

  it('keeps the last good list when the next list cannot be fetched, and reports the reason', async () => {
    const { listing, names, problems } = listingOf()
    await listing.refresh(sessionOf(async () => listOf('good')))
    await listing.refresh(sessionOf(() => Promise.reject(new Error('Connection closed'))))
    expect(names()).toEqual(['good'])
    expect(problems).toEqual(['its tools could not be listed: Connection closed'])
  })

  it('lists the tools of the server even if the store fails', async () => {
    const broken: Store = {
      ...createMemoryStore(),
      get: () => Promise.reject(new Error('the disk cannot be read')),
      set: () => Promise.reject(new Error('disk full')),
    }
    const { listing, known, names, problems } = listingOf({}, broken)
    await known.load()
    await listing.refresh(sessionOf(async () => listOf('a')))
    expect(names()).toEqual(['a'])
    expect(problems).toEqual([
      'its manifest could not be read: the disk cannot be read',
      'its manifest could not be saved: disk full',
    ])
  })

  it('a listing does not change after it is disposed', async () => {
    const { listing, changes } = listingOf()
    listing.dispose()
    await listing.refresh(sessionOf(async () => listOf('a')))
    expect(changes()).toBe(0)
  })
})
