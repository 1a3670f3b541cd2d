import { describe, expect, it } from 'vitest'
import type { ToolRule } from '../config/server-config.ts'
import { findOddRules } from './rule-findings.ts'
import { compileRules } from './rules.ts'

const tools = [
  { server: 'github', tool: 'create_issue' },
  { server: 'github', tool: 'delete_issue' },
  { server: 'files', tool: 'read_file' },
  { server: 'files', tool: 'delete-file' },
]

function find(...rules: readonly ToolRule[]) {
  return findOddRules(compileRules(rules).rules, tools)
}

describe('a rule that never decides', () => {
  it('is found, with the rules that decide before it and whether they say otherwise', () => {
    expect(
      find(
        { pattern: ['*_issue'], enabled: true },
        { pattern: ['delete-*'], enabled: false },
        { pattern: ['*delete*'], enabled: false, tags: ['dangerous'] },
      ),
    ).toEqual([
      {
        kind: 'shadowed',
        rule: 3,
        by: [1, 2],
        contradicts: true,
        message: 'Rule 3 never decides: rules 1, 2 decide first for every tool it matches; only its tags apply',
      },
    ])
  })

  it('is told apart from one that is merely repeated', () => {
    expect(
      find({ pattern: ['*delete*'], enabled: false }, { pattern: ['delete_issue'], enabled: false }),
    ).toMatchObject([
      {
        kind: 'shadowed',
        rule: 2,
        by: [1],
        contradicts: false,
        message: expect.stringContaining('rule 1 decides first'),
      },
    ])
  })

  it('is not one that decides for a single tool, nor one that only tags', () => {
    expect(
      find(
        { pattern: ['*_issue'], enabled: true },
        { pattern: ['*delete*'], enabled: false },
        { pattern: ['*delete*'], tags: ['dangerous'] },
      ),
    ).toEqual([])
  })

  it('is not the default, wherever it stands and though other rules decide for all; a second default is', () => {
    const others: ToolRule = { pattern: ['*', '!none'], enabled: true }
    expect(find({ pattern: ['*'], enabled: false }, others)).toEqual([])
    expect(find({ pattern: ['*'], enabled: false }, { pattern: ['*'], enabled: true })).toMatchObject([
      { kind: 'shadowed', rule: 2, by: [1], contradicts: true },
    ])
  })
})

describe('a rule that matches no tool', () => {
  it('is found, also for its server alone', () => {
    expect(find({ pattern: ['*deploy*'], enabled: false }, { pattern: ['*'], server: 'gitlab', tags: ['x'] })).toEqual([
      { kind: 'matches-nothing', rule: 1, message: 'Rule 1 matches no tool' },
      { kind: 'matches-nothing', rule: 2, message: 'Rule 2 matches no tool' },
    ])
  })

  it('is not reported while no tool is known, nor for a rule that has a problem', () => {
    expect(findOddRules(compileRules([{ pattern: ['x'], enabled: true }]).rules, [])).toEqual([])
    expect(find({ pattern: ['/(/'], enabled: true })).toEqual([])
  })
})

describe('a word boundary', () => {
  const boundaries = (pattern: string, server?: string) =>
    find({ pattern: [pattern], enabled: false, ...(server === undefined ? {} : { server }) })
      .filter(({ kind }) => kind === 'word-boundary')
      .flatMap((finding) => ('tools' in finding ? finding.tools.map(({ tool }) => tool) : []))

  it('is reported with the tools it misses because of an underscore', () => {
    expect(find({ pattern: ['*file', '!/\\b(read|list)\\b/i'], enabled: true, server: 'files' })).toEqual([
      {
        kind: 'word-boundary',
        rule: 1,
        pattern: '!/\\b(read|list)\\b/i',
        tools: [{ server: 'files', tool: 'read_file' }],
        message: "Rule 1: !/\\b(read|list)\\b/i does not match 'files:read_file', because \\b does not split at _",
      },
    ])
  })

  it.each([
    ['/\\bissue\\b/', ['create_issue', 'delete_issue']],
    ['/\\bdelete\\b/', ['delete_issue']],
    ['/\\bissue$/', ['create_issue', 'delete_issue']],
    ['/\\b[a-z]+_issue\\b/', []],
    ['/^\\w+_\\bissue/', ['create_issue', 'delete_issue']],
    ['/^[\\w]+\\bissue/', ['create_issue', 'delete_issue']],
    ['/create[_-]\\bissue/', ['create_issue']],
    ['/issue\\b/', []],
    ['/issues\\b/', []],
    ['/\\\\bissue/', []],
    ['/[\\b]issue/', []],
    ['*issue*', []],
  ])('%s misses %j', (pattern, missed) => {
    expect(boundaries(pattern, 'github')).toEqual(missed)
  })

  it('is no surprise where the name with its server matches, nor on another server', () => {
    expect(boundaries('/\\bfiles_read\\b/')).toEqual(['read_file'])
    expect(boundaries('/\\bread_file\\b/')).toEqual([])
    expect(boundaries('/\\bread\\b/', 'github')).toEqual([])
  })
})
