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
  return findOddRules(compileRules(rules), { tools })
}

describe('findOddRules for a rule that never decides', () => {
  const findShadowed = (...rules: readonly ToolRule[]) => find(...rules).filter(({ kind }) => kind === 'shadowed')

  it('reports the rule, the rules that decide before it, and whether they contradict it', () => {
    expect(
      findShadowed(
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
        message: 'Rule 3 never decides: rules 1, 2 decide for every tool it matches; only its tags apply',
      },
    ])
  })

  it('reports no contradiction if the earlier rule has the same effect', () => {
    expect(
      findShadowed({ pattern: ['*delete*'], enabled: false }, { pattern: ['delete_issue'], enabled: false }),
    ).toMatchObject([
      {
        kind: 'shadowed',
        rule: 2,
        by: [1],
        contradicts: false,
        message: expect.stringContaining('rule 1 decides for every tool'),
      },
    ])
  })

  it('does not report a rule that decides for at least one tool, nor a rule that only tags', () => {
    expect(
      findShadowed(
        { pattern: ['*_issue'], enabled: true },
        { pattern: ['*delete*'], enabled: false },
        { pattern: ['*delete*'], tags: ['dangerous'] },
      ),
    ).toEqual([])
  })

  it('reports a second default rule that never decides, but not the first one', () => {
    const others: ToolRule = { pattern: ['*', '!none'], enabled: true }
    expect(findShadowed({ pattern: ['*'], enabled: false }, others)).toEqual([])
    expect(findShadowed({ pattern: ['*'], enabled: false }, { pattern: ['*'], enabled: true })).toMatchObject([
      { kind: 'shadowed', rule: 2, by: [1], contradicts: true },
    ])
  })
})

describe('findOddRules for a rule that matches no tool', () => {
  it('reports the rule, even if only its server does not match', () => {
    expect(find({ pattern: ['*deploy*'], enabled: false }, { pattern: ['*'], server: 'gitlab', tags: ['x'] })).toEqual([
      { kind: 'matches-nothing', rule: 1, message: 'Rule 1 matches no tool' },
      { kind: 'matches-nothing', rule: 2, message: 'Rule 2 matches no tool' },
    ])
  })

  it('does not report `matches-nothing` while no tool is known, nor for a rule that cannot be read', () => {
    expect(findOddRules(compileRules([{ pattern: ['x'], enabled: true }]), { tools: [] })).toEqual([])
    const kinds = find({ pattern: ['/(/'], enabled: true }).map(({ kind }) => kind)
    expect(kinds).not.toContain('matches-nothing')
  })
})

describe('findOddRules for a rule that cannot be read', () => {
  it.each<[ToolRule, string]>([
    [{ pattern: ['/(?=delete)/'], enabled: false }, 'disables every tool until'],
    [{ pattern: ['/delete(/'], server: 'github', enabled: false }, "disables every tool of server 'github' until"],
    [{ pattern: ['*delete*'], server: '/(/', enabled: false }, 'disables what it matches on every server until'],
    [
      { pattern: ['*delete*', '!/(/'], enabled: false },
      'disables what it matches, ignoring the invalid exception, until',
    ],
    [{ pattern: ['/(/'], enabled: true }, 'enables nothing until'],
    [{ pattern: ['/(/'], tags: ['x'] }, 'has no effect until'],
  ])('reports the effect that the rule has until it is corrected: %j', (rule, effect) => {
    const [first] = find(rule)
    expect(first).toMatchObject({ kind: 'broken', rule: 1 })
    expect(first?.message).toContain(`Rule 1 cannot be read and ${effect} it is corrected. Pattern '`)
  })
})

describe('findOddRules for a rule that neither decides nor tags', () => {
  it('reports that the rule does nothing', () => {
    expect(find({ pattern: ['*issue*'], tags: [] })).toEqual([
      { kind: 'no-effect', rule: 1, message: 'Rule 1 does nothing: its list of tags is empty' },
    ])
  })
})

describe('findOddRules for servers that have not listed their tools', () => {
  const rules = compileRules([
    { pattern: ['*deploy*'], enabled: false },
    { pattern: ['*'], server: 'gitlab', tags: ['x'] },
    { pattern: ['*'], server: 'nowhere', tags: ['x'] },
    { pattern: ['*issue*'], tags: ['x'] },
  ])

  it('reports one finding with all rules that could match their tools, and with the names of the servers', () => {
    expect(findOddRules(rules, { tools, unasked: ['gitlab'] })).toEqual([
      { kind: 'matches-nothing', rule: 3, message: 'Rule 3 matches no tool' },
      {
        kind: 'not-asked',
        rule: 1,
        rules: [1, 2],
        servers: ['gitlab'],
        message: "Rules 1, 2 match no tool so far: 'gitlab' has not listed its tools",
      },
    ])
  })

  it('reports the rules that could match their tools even if no tool is known at all', () => {
    expect(findOddRules(rules, { tools: [], unasked: ['gitlab', 'github'] })).toMatchObject([
      {
        kind: 'not-asked',
        message: "Rules 1, 2, 4 match no tool so far: 'gitlab', 'github' have not listed their tools",
      },
    ])
  })
})

describe('findOddRules for a server that the rules leave without a tool', () => {
  it('reports the server and the rules that disable its tools', () => {
    expect(find({ pattern: ['*'], server: 'files', enabled: false })).toEqual([
      {
        kind: 'server-without-tools',
        server: 'files',
        message: "The rules leave server 'files' without a tool: all 2 are disabled by rule 1",
      },
    ])
  })

  it('reports the server if an allow list does not name its tools', () => {
    expect(find({ pattern: ['*issue*'] }).map(({ message }) => message)).toEqual([
      "The rules leave server 'files' without a tool: all 2 are disabled by an allow list that does not name them",
    ])
  })
})

describe('findOddRules for a tool that a disabling rule does not reach', () => {
  it('reports the tool and the earlier rule that enables it', () => {
    const found = find(
      { pattern: ['*issue*'], server: 'github', enabled: true },
      { pattern: ['*delete*'], enabled: false },
    )
    expect(found).toEqual([
      {
        kind: 'overruled',
        rule: 2,
        tools: [{ server: 'github', tool: 'delete_issue' }],
        message: "Rule 2 does not disable 'github:delete_issue': rule 1 has precedence and enables it",
      },
    ])
  })
})

describe('findOddRules for a word boundary', () => {
  const boundaries = (pattern: string, server?: string) =>
    find({ pattern: [pattern], enabled: false, ...(server === undefined ? {} : { server }) })
      .filter(({ kind }) => kind === 'word-boundary')
      .flatMap((finding) => ('tools' in finding ? finding.tools.map(({ tool }) => tool) : []))

  it('reports the pattern and the tools that it misses because of an underscore', () => {
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
  ])('reports that the word boundary in %s misses the tools %j', (pattern, missed) => {
    expect(boundaries(pattern, 'github')).toEqual(missed)
  })

  it('also tests the name with its server, and does not report a tool that matches or belongs to another server', () => {
    expect(boundaries('/\\bfiles_read\\b/')).toEqual(['read_file'])
    expect(boundaries('/\\bread_file\\b/')).toEqual([])
    expect(boundaries('/\\bread\\b/', 'github')).toEqual([])
  })
})

describe('findOddRules for a rule with a server that does not exist', () => {
  const messages = (server: string, servers: readonly string[]) =>
    findOddRules(compileRules([{ server, pattern: ['*'], enabled: false }]), { tools: [], servers }).map(
      ({ kind, message }) => [kind, message],
    )

  it('reports the rule and the most similar server name, even before any server has listed its tools', () => {
    expect(messages('githb', ['files', 'github'])).toEqual([
      ['no-server', "Rule 1 does nothing: no server is named 'githb'. Did you mean 'github'?"],
    ])
    expect(messages('slack', ['files'])).toEqual([['no-server', "Rule 1 does nothing: no server is named 'slack'"]])
  })

  it('does not report a server pattern that matches a server, nor any rule if the servers are not known', () => {
    expect(messages('git*', ['github'])).toEqual([])
    expect(messages('githb', [])).toEqual([])
  })
})
