// The same visible tools give the same bytes in tools/list under every strategy, because prompt caches depend on them.

import { afterEach, describe, expect, it } from 'vitest'
import type { ToolEntry } from '../core/tool.ts'
import { strategies } from '../disclosure/strategies/builtins.ts'
import { entryOf, type ScriptedSource, scriptedSource } from '../sources/source.fixture.ts'
import { createMemoryStore } from '../storage/memory.ts'
import { requestOf } from './crib.fixture.ts'
import { type Crib, createCrib } from './crib.ts'

const SERVERS: Readonly<Record<string, readonly ToolEntry[]>> = {
  github: ['create_issue', 'list_issues', 'search'].map((name) => entryOf(name)),
  files: [entryOf('read_file', { category: 'Files' }), entryOf('search')],
  mail: ['send_mail', 'list_mails'].map((name) => entryOf(name, { description: `Mail: ${name}.` })),
}
const NAMES = Object.keys(SERVERS)
/** The orders in which the servers list their tools. */
const ORDERS = [NAMES, NAMES.toReversed(), ['files', 'mail', 'github']]
const USED = ['mail:send_mail', 'github:search']

const VARIANTS: readonly (readonly [strategy: string, options: object])[] = [
  ...[...strategies.keys()].map((name) => [name, {}] as const),
  ['individual', { metaTools: true, builtins: true }],
  ['categories', { listing: 'stripped' }],
  ['categories', { listing: 'hidden', invoke: true }],
  ['categories', { listing: 'hybrid', core: 'learned' }],
  ['capabilities', { listing: 'full' }],
  ['capabilities', { listing: 'hybrid', core: ['search'] }],
  ['auto', { budget: 0 }],
]

const opened: Crib[] = []
afterEach(async () => {
  for (const crib of opened.splice(0)) await crib[Symbol.asyncDispose]()
})

describe.each(VARIANTS)('the listing of %s %j', (strategy, strategyOptions) => {
  const store = createMemoryStore()

  /** Simulates one process: a client lists first, then the servers list their tools one by one in this order. */
  const start = async (order: readonly string[]): Promise<string> => {
    // The configuration has the servers in this order, too.
    const sources = order.map((name) => scriptedSource(name, []))
    const crib = createCrib({
      about: { name: 'replica', version: '1.0.0' },
      sources,
      strategy,
      strategyOptions,
      builtins: false,
      search: { usage: { top: () => USED } },
      state: { store },
      catalog: { listWaitMs: 0 },
    })
    opened.push(crib)
    // `auto` keeps the choice of its first listing, so its first listing comes after all servers are known.
    if (strategy !== 'auto') await crib.list(request)
    for (const name of order) await announce(sources, name)
    if (strategy === 'manage')
      await crib.call('manage_tools', { action: 'enable', tools: [...order].map(enabledOf) }, request)
    return JSON.stringify(await crib.list(request))
  }
  const request = requestOf(undefined, { caller: { principal: 'alice', era: 'modern', transport: 'http' } })

  it('lists the same bytes after a restart, in another replica, and for three orders of server starts', async () => {
    const listings = []
    for (const order of [...ORDERS, NAMES]) listings.push(await start(order))
    expect(new Set(listings).size).toBe(1)
    expect(listings[0]?.length).toBeGreaterThan(100)
  })
})

async function announce(sources: readonly ScriptedSource[], name: string): Promise<void> {
  const source = sources.find(({ id }) => id === name)
  source?.script(SERVERS[name] ?? [])
  source?.announce()
  await new Promise((resolve) => setImmediate(resolve))
}

function enabledOf(server: string): string {
  return `${server}:${SERVERS[server]?.[0]?.name}`
}
