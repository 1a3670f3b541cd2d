// A long result under every strategy: cut if a listed tool can read more of it, complete otherwise.

import { afterEach, describe, expect, it } from 'vitest'
import { success } from '../core/result.ts'
import { strategies } from '../disclosure/strategies/builtins.ts'
import { createResultLimit } from '../dispatch/result-limit/result-limit.ts'
import { namesOf } from '../sources/commands/command.fixture.ts'
import { entryOf, scriptedSource } from '../sources/source.fixture.ts'
import { createMemoryStore } from '../storage/memory.ts'
import { requestOf } from './crib.fixture.ts'
import { type Crib, createCrib } from './crib.ts'

const LONG = Array.from({ length: 500 }, (_, at) => `Line ${at} of many.`).join('\n')
const opened: Crib[] = []
afterEach(async () => {
  for (const crib of opened.splice(0)) await crib[Symbol.asyncDispose]()
})

function open(strategy: string, strategyOptions: object): Crib {
  const source = scriptedSource('box', [])
  source.script([entryOf('long_one', { description: 'Give a long text.' })])
  const crib = createCrib({
    about: { name: 'gateway', version: '1.0.0' },
    sources: [{ ...source, call: async () => success(LONG, { wire: { content: [{ type: 'text', text: LONG }] } }) }],
    strategy,
    strategyOptions,
    builtins: false,
    calls: { results: createResultLimit({ store: createMemoryStore(), maxTokens: 400 }) },
  })
  opened.push(crib)
  return crib
}

/** Reads a result as a model does: follows the note at the end of each part, with a listed tool. */
async function readAll(crib: Crib, first: readonly [name: string, args: object]) {
  const request = requestOf('one')
  const listed = namesOf(await crib.list(request))
  const parts: string[] = []
  let [name, args] = first
  for (;;) {
    const { wire, error } = await crib.call(name, args, request)
    if (error !== undefined) throw new Error(error.message)
    const texts = (wire?.content ?? []).map((block) => (block.type === 'text' ? block.text : ''))
    const note = /^\[cut: .*; (\S+) (\{.*\}) reads on\]$/.exec(texts.at(-1) ?? '')
    if (note === null) return [...parts, ...texts]
    parts.push(...texts.slice(0, -1))
    name = note[1] ?? ''
    args = JSON.parse(note[2] ?? '')
    expect(listed).toContain(name)
  }
}

const byName = ['long_one', {}] as const
const invoke = ['invoke_tool', { tool: 'long_one' }] as const

describe('a crib with long results', () => {
  it.each([
    ['gateway', {}, ['execute_tool', { tool: 'long_one' }]],
    ['gateway', {}, byName],
    ['lazy', {}, ['afd-call', { command: 'long_one' }]],
    ['lazy', { prefix: 'acme' }, ['acme-call', { command: 'long_one' }]],
    ['categories', { listing: 'hidden', invoke: true }, invoke],
    ['categories', { listing: 'hybrid', invoke: true, core: 'long_*' }, byName],
    ['capabilities', { listing: 'hidden', invoke: true }, invoke],
    ['auto', { budget: 0 }, ['execute_tool', { tool: 'long_one' }]],
    ...[...strategies.keys()]
      .filter((name) => name !== 'lazy' && name !== 'gateway')
      .map((name) => [name, { builtins: true }, ['afd-call', { command: 'long_one' }]] as const),
  ] as const)('lets a client under %s %j read a result to its end after %j', async (strategy, options, first) => {
    const parts = await readAll(open(strategy, options), first)
    expect(parts.length).toBeGreaterThan(3)
    expect(parts.join('')).toBe(LONG)
  })

  it.each([
    ['individual', {}],
    ['categories', {}],
    ['categories', { listing: 'full' }],
    ['categories', { listing: 'hidden', invoke: false }],
    ['capabilities', { listing: 'stripped' }],
    ['auto', {}],
  ])(
    'returns a result under %s %j complete, because no listed tool could read more of it',
    async (strategy, options) => {
      expect(await readAll(open(strategy, options), byName)).toEqual([LONG])
    },
  )

  it('refuses a call without a tool and names the missing field, and refuses an unknown handle', async () => {
    const { error } = await open('categories', { listing: 'hidden', invoke: true }).call(
      'invoke_tool',
      {},
      requestOf('one'),
    )
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringContaining("'tool'") })
    const { error: gone } = await open('lazy', {}).call('afd-call', { handle: 'nothing', offset: 0 }, requestOf('one'))
    expect(gone?.code).toBe('HANDLE_NOT_FOUND')
  })
})
