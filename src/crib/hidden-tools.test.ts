// A server with hidden tools gives the same bytes as a server that does not have these tools.

import { describe, expect, it } from 'vitest'
import type { ToolEntry } from '../core/tool.ts'
import { hideTools } from '../rules/rules.ts'
import { entryOf, scriptedSource } from '../sources/source.fixture.ts'
import { requestOf } from './crib.fixture.ts'
import { type Crib, createCrib } from './crib.ts'
import { answersOf, probedStrategies } from './probes.fixture.ts'

/** A tool as an upstream lists it: without a category. Its category is derived from the names of all tools. */
function toolOf(name: string, fields: Partial<ToolEntry> = {}): ToolEntry {
  const { defaultCategory: _category, ...entry } = entryOf(name, fields)
  return entry
}

const shown = [
  toolOf('note-add', { description: 'Adds a note to the salary report.' }),
  toolOf('note-list', { description: 'Lists notes.' }),
]
const secret = [
  toolOf('payroll-pay', { description: 'Pays salaries and wages.', tags: ['money'] }),
  toolOf('payroll-wages', { description: 'Lists wages of notes.', traits: { requires: ['payroll-pay'] } }),
]

interface Served {
  readonly strategy: string
  readonly options?: Readonly<Record<string, unknown>>
  readonly hide?: readonly string[]
}

function open(entries: readonly ToolEntry[], { strategy, options = {}, hide }: Served): Crib {
  const source = scriptedSource('office', [])
  source.script(entries)
  return createCrib({
    about: { name: 'test', version: '1.0.0' },
    sources: [source],
    strategy,
    strategyOptions: options,
    builtins: true,
    catalog: { keepNames: true, decide: hide && hideTools(hide) },
  })
}

describe.each(probedStrategies)('under $name', ({ strategy, options }) => {
  it('lists, finds, describes, suggests, counts and calls no hidden tool', async () => {
    const hiding = open([...shown, ...secret], { strategy, options, hide: ['payroll-*'] })
    const without = open(shown, { strategy, options })
    expect(await answersOf(hiding, requestOf('s'))).toEqual(await answersOf(without, requestOf('s')))
  })
})

describe('hideTools', () => {
  it.each([
    ['a name', ['payroll-pay'], ['note-add', 'note-list', 'payroll-wages']],
    ['a glob with an exception', ['payroll-*', '!payroll-pay'], ['note-add', 'note-list', 'payroll-pay']],
    ['a regex', ['/^note/'], ['payroll-pay', 'payroll-wages']],
    [
      'a glob by their own name, without that of the server',
      ['_*', '*_note-add'],
      ['note-add', 'note-list', 'payroll-pay', 'payroll-wages'],
    ],
    ['no exception, if there are only exceptions', ['!note-add'], ['note-add']],
  ])('hides the tools that match %s', async (_which, hide, listed) => {
    const crib = open([...shown, ...secret], { strategy: 'individual', hide })
    const names = (await crib.list(requestOf('s'))).map(({ name }) => name)
    expect(names.filter((name) => !name.startsWith('afd-'))).toEqual(listed)
  })

  it('hideTools throws for a pattern that cannot be read', () => {
    expect(() => hideTools(['/(/'])).toThrow(/hide/)
  })

  it('hides a tool that its server adds later', async () => {
    const source = scriptedSource('office', ['note-add'])
    const crib = createCrib({
      about: { name: 'test', version: '1.0.0' },
      sources: [source],
      strategy: 'individual',
      builtins: false,
      catalog: { decide: hideTools(['payroll-*']) },
    })
    await crib.list(requestOf('s'))
    source.script([...shown, ...secret])
    source.announce()
    expect((await crib.list(requestOf('s'))).map(({ name }) => name)).toEqual(['note-add', 'note-list'])
    expect((await crib.call('payroll-pay', {}, requestOf('s'))).error?.code).toBe('TOOL_NOT_FOUND')
  })
})
