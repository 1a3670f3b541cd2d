// A caller with limited rights gets the same bytes as a caller of a gateway that has only the allowed tools.

import { describe, expect, it } from 'vitest'
import type { Rights } from '../core/rights.ts'
import { bm25f } from '../search/bm25f/bm25f.ts'
import { commandOf } from '../sources/commands/command.fixture.ts'
import { createCommandSet, createCommandSource } from '../sources/commands/command-set.ts'
import type { Command } from '../sources/commands/define.ts'
import type { ToolSource } from '../sources/source.ts'
import { settle } from './crib.fixture.ts'
import { type Crib, createCrib } from './crib.ts'
import { answersOf, PROBES, probedStrategies } from './probes.fixture.ts'
import type { Request } from './request.ts'
import { createAllowedTools } from './selections.ts'

interface Servers {
  readonly [name: string]: readonly Command[]
}

const reading = { mutation: false } as const
const shown: Servers = {
  notes: [
    commandOf('note-add', { description: 'Adds a note to the salary report.' }),
    commandOf('note-list', { description: 'Lists notes.', ...reading }),
  ],
  files: [commandOf('file-read', { description: 'Reads a file.', ...reading }), commandOf('file-drop')],
}
const secret: readonly Command[] = [
  commandOf('payroll-pay', { description: 'Pays salaries and wages.', ...reading, tags: ['money'] }),
  commandOf('payroll-wages', { description: 'Lists wages of notes.', ...reading, requires: ['payroll-pay'] }),
]

function sourcesOf(servers: Servers): readonly ToolSource[] {
  return Object.entries(servers).map(([id, commands]) =>
    createCommandSource({ id, commands: createCommandSet(commands) }),
  )
}

interface CribParts {
  readonly strategy: string
  readonly options?: Readonly<Record<string, unknown>>
  readonly isDisabled?: (server: string, tool: string) => boolean
}

function open(servers: Servers | readonly ToolSource[], { strategy, options = {}, isDisabled }: CribParts): Crib {
  return createCrib({
    about: { name: 'test', version: '1.0.0' },
    sources: Array.isArray(servers) ? servers : sourcesOf(servers as Servers), // not an array, so an object
    strategy,
    strategyOptions: options,
    builtins: true,
    search: { ranker: bm25f },
    ...(isDisabled === undefined
      ? {}
      : { catalog: { decide: (server, tool) => ({ enabled: !isDisabled(server, tool), rule: 1, tags: [] }) } }),
  })
}

function requestWith(rights: Rights | undefined, principal = 'ada'): Request {
  return {
    caller: {
      principal,
      era: 'legacy',
      transport: 'http',
      sessionId: 's',
      ...(rights === undefined ? {} : { rights }),
    },
    signal: new AbortController().signal,
  }
}

/** The options for a gateway without `payroll-pay`, where it cannot be a quick action. */
function withoutQuickActions(options: (typeof probedStrategies)[number]['options']) {
  return 'quickActions' in options ? { ...options, quickActions: [] } : options
}

describe.each(probedStrategies)('under $name', ({ strategy, options }) => {
  it('gives the same answers as a gateway without the servers outside the rights', async () => {
    const limited = await answersOf(
      open({ ...shown, payroll: secret }, { strategy, options }),
      requestWith({ servers: ['notes', 'files'] }),
    )
    const alone = await answersOf(
      open(shown, { strategy, options: withoutQuickActions(options) }),
      requestWith(undefined),
    )
    expect(limited).toEqual(alone)
  })

  it('gives the same answers as a gateway without the tools outside the rights', async () => {
    const rights = { tools: ['note-*', 'file-*', '!file-drop'] }
    const servers = { ...shown, files: [...(shown.files ?? []).slice(0, 1)] }
    const limited = await answersOf(open({ ...shown, payroll: secret }, { strategy, options }), requestWith(rights))
    const alone = await answersOf(
      open(servers, { strategy, options: withoutQuickActions(options) }),
      requestWith(undefined),
    )
    expect(limited).toEqual(alone)
  })

  it('does not reveal a tool outside the rights that a rule disables', async () => {
    const isDisabled = (_server: string, tool: string) => tool === 'payroll-pay' || tool === 'note-add'
    const crib = open({ ...shown, payroll: secret }, { strategy, options, isDisabled })
    const limited = await answersOf(crib, requestWith({ servers: ['notes', 'files'] }))
    const alone = await answersOf(
      open(shown, { strategy, options: withoutQuickActions(options), isDisabled }),
      requestWith(undefined),
    )
    expect(limited).toEqual(alone)
  })
})

describe('a gateway with limited rights', () => {
  it('applies the rights of each caller separately, even while their requests interleave', async () => {
    const crib = open({ ...shown, payroll: secret }, { strategy: 'gateway' })
    const callers = [
      { rights: { servers: ['payroll'] }, principal: 'bob', own: /"server":"payroll"/, other: /note-|file-/ },
      { rights: { servers: ['notes', 'files'] }, principal: 'ada', own: /"server":"notes"/, other: /payroll/ },
    ]
    await Promise.all(
      Array.from({ length: 200 }, async (_, turn) => {
        const { rights, principal, own, other } = callers[turn % 2] ?? callers[0] ?? expect.fail()
        // Each call has its own request, as over a connection: 200 waiting calls would add 200 listeners to one signal.
        const request = requestWith(rights, principal)
        const query = turn % 4 < 2 ? 'lists' : 'lists notes wages'
        const answer = JSON.stringify((await crib.call('search_tools', { query }, request)).data)
        expect(answer).toMatch(own)
        expect(answer.replaceAll(query, '')).not.toMatch(other)
      }),
    )
  })

  it('allows read-only callers only tools that state that they change nothing', async () => {
    const crib = open(shown, { strategy: 'individual' })
    const listed = (await crib.list(requestWith({ readOnly: true }))).map(({ name }) => name)
    expect(listed.filter((name) => !name.startsWith('afd-'))).toEqual(['files__file-read', 'notes__note-list'])
    expect((await crib.call('notes__note-add', {}, requestWith({ readOnly: true }))).error?.code).toBe(
      'COMMAND_NOT_FOUND',
    )
  })

  it('passes the rights to the handlers of commands, and limits what introspect() lists', async () => {
    const asks = commandOf('note-ask', {
      handler: async (_input, context) => ({
        success: true,
        data: { rights: context.caller.rights, names: (await context.introspect()).commands.map(({ name }) => name) },
      }),
    })
    const crib = open({ notes: [asks], payroll: secret }, { strategy: 'individual' })
    const rights = { servers: ['notes'] }
    const { data } = await crib.call('notes__note-ask', {}, requestWith(rights))
    expect(data).toEqual({ rights, names: ['notes__note-ask'] })
  })

  it('notifies a caller only if its own list changes', async () => {
    const hidden = createCommandSet(secret)
    const own = createCommandSet(shown.notes ?? [])
    const crib = open(
      [createCommandSource({ id: 'notes', commands: own }), createCommandSource({ id: 'payroll', commands: hidden })],
      { strategy: 'individual' },
    )
    const notified: string[] = []
    const follow = (name: string, rights?: Rights) =>
      crib.onListChanged(requestWith(rights, name).caller, () => void notified.push(name))
    follow('limited', { servers: ['notes'] })
    follow('all')
    await settle()
    hidden.register(commandOf('payroll-more'))
    await expect.poll(() => notified).toEqual(['all'])
    own.register(commandOf('note-more'))
    await expect.poll(() => notified.toSorted()).toEqual(['all', 'all', 'limited'])
  })

  it('hides a server that is still starting or failed, unless the rights name it', async () => {
    const source = (id: string, state: 'starting' | 'failed'): ToolSource => ({
      ...createCommandSource({ id, commands: createCommandSet([]) }),
      info: () => ({ state, isUnknown: true, reason: 'no such program' }),
    })
    const sources = [...sourcesOf({ notes: shown.notes ?? [] }), source('late', 'starting'), source('dead', 'failed')]
    const crib = open(sources, { strategy: 'gateway' })
    const serversOf = async (rights: Rights) => {
      const { data } = await crib.call('list_mcp_servers', {}, requestWith(rights))
      return ['notes', 'late', 'dead'].filter((name) => JSON.stringify(data).includes(`"${name}"`))
    }
    expect(await serversOf({ tools: ['note-*'] })).toEqual(['notes'])
    expect(await serversOf({ servers: ['notes', 'late'] })).toEqual(['notes', 'late'])
    expect(await serversOf({ tools: ['note-*', 'dead_*'] })).toEqual(['notes', 'dead'])
    const called = await crib.call('execute_tool', { server: 'late', tool: 'x' }, requestWith({ tools: ['note-*'] }))
    expect(called.error?.code).toBe('SERVER_NOT_FOUND')
  })

  it('neither starts a server outside the rights nor waits for it', async () => {
    const settled: string[] = []
    const slow = (id: string): ToolSource => ({
      ...createCommandSource({ id, commands: createCommandSet([commandOf(`${id}-x`)]) }),
      settle() {
        settled.push(id)
        return undefined
      },
      revalidate: () => void settled.push(id),
    })
    const crib = open([slow('notes'), slow('payroll')], { strategy: 'gateway' })
    const request = requestWith({ servers: ['notes'] })
    await crib.list(request)
    for (const [tool, args] of PROBES) await crib.call(tool, args, request)
    expect(new Set(settled)).toEqual(new Set(['notes']))
  })
})

describe('createAllowedTools', () => {
  it('shares one set between callers with the same rights, and keeps it if only other tools change', async () => {
    const all = await open({ ...shown, payroll: secret }, { strategy: 'gateway' }).inspect(new AbortController().signal)
    const allowedTools = createAllowedTools()
    const first = allowedTools(all.known, { servers: ['notes', 'files'] })
    expect(allowedTools(all.known, { servers: ['files', 'notes'] })).toBe(first)
    expect(first.tools).toHaveLength(4)
    const fewer = { ...all.known, tools: all.known.tools.filter(({ sourceId }) => sourceId !== 'payroll') }
    expect(allowedTools(fewer, { servers: ['notes', 'files'] })).toBe(first)
    expect(allowedTools(all.known, undefined)).toBe(all.known)
  })

  it('keeps a bounded number of sets', async () => {
    const all = await open(shown, { strategy: 'gateway' }).inspect(new AbortController().signal)
    const allowedTools = createAllowedTools(2)
    const first = allowedTools(all.known, { servers: ['notes'] })
    for (const name of ['a', 'b', 'c']) allowedTools(all.known, { servers: [name] })
    expect(allowedTools(all.known, { servers: ['notes'] })).not.toBe(first)
  })
})
