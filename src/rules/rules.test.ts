import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ToolRule } from '../config/server-config.ts'
import { decideSlowly, matchesRule, UNREADABLE } from './rules.fixture.ts'
import { compileRules } from './rules.ts'

function decide(rules: readonly ToolRule[], id: string) {
  const [server = '', tool = ''] = id.split(':')
  expect(problemsOf(rules)).toEqual([])
  return compileRules(rules).decide(server, tool)
}

/** The problems of all rules, each with the number of its rule. */
function problemsOf(written: readonly ToolRule[]) {
  return compileRules(written).rules.flatMap(({ number, problems }) =>
    problems.map((one) => ({ rule: number, ...one })),
  )
}

const enable = (...pattern: string[]): ToolRule => ({ pattern, enabled: true })
const disable = (...pattern: string[]): ToolRule => ({ pattern, enabled: false })

describe('compileRules', () => {
  it.each<[string, readonly ToolRule[], string, object]>([
    ['every tool is enabled without rules', [], 'a:x', { enabled: true, tags: [] }],
    [
      'the first match wins',
      [disable('*delete*'), enable('*delete_draft*')],
      'a:delete_draft',
      { enabled: false, rule: 1 },
    ],
    [
      'an earlier rule decides before a later one',
      [enable('*draft*'), disable('*delete*')],
      'a:delete_draft',
      { enabled: true, rule: 1 },
    ],
    [
      'a bare * decides after all other rules',
      [enable('*'), disable('*delete*')],
      'a:delete',
      { enabled: false, rule: 2 },
    ],
    ['a bare * decides for the rest', [disable('*'), enable('x')], 'a:y', { enabled: false, rule: 1 }],
    ['the first of two bare * counts', [enable('*'), disable('*')], 'a:y', { enabled: true, rule: 1 }],
    ['* with a server is not a default', [{ ...disable('*'), server: 'a' }, enable('x')], 'a:x', { rule: 1 }],
    [
      '* beside another pattern is not a default',
      [disable('*', '!y'), enable('x')],
      'a:x',
      { enabled: false, rule: 1 },
    ],
    [
      'a bare * that only tags is not a default',
      [{ pattern: ['*'], tags: ['t'] }, enable('x')],
      'a:y',
      { enabled: false, tags: ['t'] },
    ],
    ['without a default, an enabling rule disables the rest', [enable('x')], 'a:y', { enabled: false, tags: [] }],
    [
      'an enabling rule with a server makes an allow list of that server',
      [{ ...enable('x'), server: 'a' }],
      'a:y',
      { enabled: false, tags: [] },
    ],
    [
      'an enabling rule with a server leaves other servers as they are',
      [{ ...enable('x'), server: 'a' }],
      'b:y',
      { enabled: true, tags: [] },
    ],
    ['a rule with only a pattern enables', [{ pattern: ['x'] }], 'a:x', { enabled: true, rule: 1 }],
    ['a rule with only a pattern makes an allow list', [{ pattern: ['x'] }], 'a:y', { enabled: false }],
    [
      'an enabling rule that matches only the server name does not decide if a later rule matches the tool name',
      [enable('*github*'), disable('*delete*')],
      'github:delete_repo',
      { enabled: false, rule: 2 },
    ],
    [
      'an enabling rule that matches the tool name decides before later rules',
      [enable('*github*'), disable('*delete*')],
      'files:github_delete',
      { enabled: true, rule: 1 },
    ],
    [
      'an enabling rule for a whole server does not decide if a later rule matches the tool name',
      [{ ...enable('*'), server: 'github' }, disable('*delete*')],
      'github:delete_repo',
      { enabled: false, rule: 2 },
    ],
    [
      'an enabling rule decides before a later rule that also matches only the server name',
      [enable('*github*'), disable('github_*')],
      'github:sync',
      { enabled: true, rule: 1 },
    ],
    [
      'the first of the later rules that match the tool name decides',
      [enable('*github*'), enable('delete_draft'), disable('*delete*')],
      'github:delete_draft',
      { enabled: true, rule: 2 },
    ],
    [
      'a disabling rule that matches only the server name decides before later rules',
      [disable('*github*'), enable('sync')],
      'github:sync',
      { enabled: false, rule: 1 },
    ],
    ['without a default or an enabling rule, the rest is enabled', [disable('x')], 'a:y', { enabled: true, tags: [] }],
    [
      'a rule with only tags decides nothing',
      [{ pattern: ['*x*'], tags: ['t'] }, disable('x')],
      'a:x',
      { enabled: false, rule: 2, tags: ['t'] },
    ],
    [
      'a rule with only a category decides nothing, and the first category counts',
      [{ pattern: ['*x*'], category: 'one' }, { pattern: ['x'], category: 'two' }, disable('x')],
      'a:x',
      { enabled: false, rule: 3, category: 'one' },
    ],
    [
      'a rule with only a category does not create an allow list',
      [{ pattern: ['x'], category: 'one' }],
      'a:y',
      { enabled: true },
    ],
    [
      '! excludes a tool from its own rule',
      [enable('*issue*', '!*delete*'), disable('*')],
      'a:delete_issue',
      { enabled: false, rule: 2 },
    ],
    [
      '! excludes a tool at any position in the list',
      [enable('!*delete*', '*issue*')],
      'a:delete_issue',
      { enabled: false },
    ],
    ['! in one rule does not affect other rules', [enable('!x', '*'), enable('x')], 'a:x', { enabled: true, rule: 2 }],
    ['a rule with only negations matches everything else', [disable('!x', '!y')], 'a:z', { enabled: false, rule: 1 }],
    ['a rule with only negations does not match the names in them', [disable('!x', '!y')], 'a:y', { enabled: true }],
    ['patterns of a rule are alternatives', [disable('x', '/^y/')], 'a:yes', { enabled: false, rule: 1 }],
    ['a server limits the rule', [{ ...disable('*'), server: 'b' }], 'a:x', { enabled: true }],
    ['a server name matches in any case', [{ ...disable('*'), server: 'GitHub' }], 'github:x', { enabled: false }],
    ['a server may be a glob', [{ ...disable('*'), server: 'git*' }], 'github:x', { enabled: false }],
    ['a server may be a regex', [{ ...disable('*'), server: '/^git(hub|lab)$/' }], 'gitlab:x', { enabled: false }],
    ['a server may be negated', [{ ...disable('*'), server: '!github' }], 'github:x', { enabled: true }],
    ['a server with brackets matches itself', [{ ...disable('*'), server: 'git[1]' }], 'git[1]:x', { enabled: false }],
    [
      'with a server, patterns match only the name of the tool',
      [{ ...disable('github_*'), server: 'github' }],
      'github:x',
      { enabled: true },
    ],
    [
      'without a server, patterns match the name of the tool',
      [disable('create_*')],
      'github:create_issue',
      { enabled: false },
    ],
    [
      'without a server, patterns match the form server_tool',
      [disable('github_create_*')],
      'github:create_issue',
      { enabled: false },
    ],
    [
      'without a server, patterns match no other form',
      [disable('github:*', 'github')],
      'github:create_issue',
      { enabled: true },
    ],
    [
      'without a server, ! matches both forms too',
      [disable('*issue', '!github_*')],
      'github:create_issue',
      { enabled: true },
    ],
  ])('%s', (_claim, rules, id, expected) => {
    expect(decide(rules, id)).toMatchObject(expected)
  })

  it('adds up the tags of all matching rules, each once, in order', () => {
    const rules: ToolRule[] = [
      { pattern: ['*'], enabled: true, tags: ['all', 'b'] },
      { pattern: ['x*'], enabled: false, tags: ['a', 'b'] },
      { pattern: ['y'], tags: ['no'] },
      { pattern: ['*x'], enabled: true, tags: ['c', 'a'] },
    ]
    expect(decide(rules, 's:x')).toEqual({ enabled: false, rule: 2, tags: ['all', 'b', 'a', 'c'] })
  })

  const example: readonly ToolRule[] = [
    { server: 'github', pattern: ['*issue*'], enabled: true, tags: ['github', 'issues'] },
    { server: 'filesystem', pattern: ['/\\b(read|list|get)\\b/i', '*read*'], enabled: true, tags: ['safe'] },
    { pattern: ['/(delete|remove|destroy)/i'], enabled: false, tags: ['dangerous'] },
  ]
  it.each([
    ['github:create_issue', { enabled: true, rule: 1, tags: ['github', 'issues'] }],
    ['github:delete_issue', { enabled: true, rule: 1, tags: ['github', 'issues', 'dangerous'] }],
    ['github:create_pr', { enabled: false, tags: [] }],
    ['other:delete_file', { enabled: false, rule: 3, tags: ['dangerous'] }],
    ['filesystem:read_file', { enabled: true, rule: 2, tags: ['safe'] }],
    ['filesystem:list-all', { enabled: true, rule: 2, tags: ['safe'] }],
    ['filesystem:Delete_file', { enabled: false, rule: 3, tags: ['dangerous'] }],
    ['other:read_file', { enabled: true, tags: [] }],
  ])('decides for %s in an example config', (id, expected) => {
    expect(decide(example, id)).toEqual(expected)
  })

  const name = fc
    .array(fc.constantFrom('a', 'b', 'B', '_', '.'), { minLength: 1, maxLength: 4 })
    .map((list) => list.join(''))
  const glob = fc
    .array(fc.constantFrom('a', 'b', '_', '*', '*'), { minLength: 1, maxLength: 4 })
    .map((list) => list.join(''))
  const regex = fc.constantFrom('/^a/', '/b$/i', '/\\ba\\b/', '/a.*b/', '/_/', '/[^a]/i')
  const pattern = fc
    .tuple(fc.constantFrom('', '', '!'), fc.oneof(fc.constant('*'), glob, regex))
    .map(([negation, text]) => negation + text)
  const ruleOf = (text: fc.Arbitrary<string>, server: fc.Arbitrary<string>): fc.Arbitrary<ToolRule> =>
    fc.record(
      {
        pattern: fc.array(text, { minLength: 1, maxLength: 3 }),
        server,
        enabled: fc.boolean(),
        tags: fc.array(fc.constantFrom('t', 'u', 'v'), { maxLength: 3 }),
      },
      { requiredKeys: ['pattern'] },
    )
  const rule = ruleOf(pattern, fc.oneof(name, glob))
  const unreadable = fc.constantFrom(...UNREADABLE)
  const anyRule = fc.oneof(rule, ruleOf(fc.oneof(pattern, unreadable), fc.oneof(name, unreadable)))

  it('decides like the slow and simple implementation, even from its cache', () => {
    fc.assert(
      fc.property(
        fc.array(anyRule, { maxLength: 6 }),
        fc.array(fc.tuple(name, name), { maxLength: 8 }),
        (written, tools) => {
          const { rules, decide } = compileRules(written, { maxCached: 3 })
          for (const [server, tool] of [...tools, ...tools]) {
            expect(decide(server, tool)).toEqual(decideSlowly(written, server, tool))
            expect(rules.map((one) => one.matches(server, tool))).toEqual(
              written.map((one) => matchesRule(one, server, tool)),
            )
          }
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('reports no problem if all patterns are valid', () => {
    fc.assert(fc.property(fc.array(rule, { maxLength: 6 }), (written) => problemsOf(written).length === 0))
  })

  it('never enables more when an invalid pattern is added to a disabling rule', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 4 }), rule, unreadable, name, name, (others, one, text, server, tool) => {
        const before = compileRules([{ ...one, enabled: false }, ...others]).decide(server, tool)
        const broken = { ...one, enabled: false, pattern: [...one.pattern, text] }
        const after = compileRules([broken, ...others]).decide(server, tool)
        expect(after.enabled && !before.enabled).toBe(false)
      }),
    )
  })

  it('caches the decisions for a bounded number of tools', () => {
    const cached = compileRules([disable('x')], { maxCached: 2 })
    const first = cached.decide('a', 'x')
    expect(cached.decide('a', 'x')).toBe(first)
    cached.decide('a', 'y')
    cached.decide('a', 'z')
    expect(cached.decide('a', 'x')).not.toBe(first)
    expect(cached.decide('a', 'x')).toEqual(first)
  })

  it('never confuses two tools in the cache', () => {
    const rules = compileRules([{ ...disable('*'), server: 'ab' }])
    expect([rules.decide('ab', 'c').enabled, rules.decide('a', 'bc').enabled]).toEqual([false, true])
  })
})

describe('compileRules with invalid patterns', () => {
  it('reports the number of the rule, the position in it and the kind of the problem', () => {
    const problems = problemsOf([disable('*ok*', '/(/'), { pattern: ['x'], server: '/y/q' }, { pattern: [] }])
    expect(problems).toMatchObject([
      { rule: 1, path: ['pattern', 1], kind: 'bad-regex' },
      { rule: 2, path: ['server'], kind: 'bad-flags' },
      { rule: 3, path: ['pattern'], kind: 'empty' },
    ])
  })

  it.each<[string, ToolRule, string, boolean]>([
    ['an enabling rule enables nothing, and still makes an allow list', enable('x', '/(/'), 'a:x', false],
    ['an enabling rule makes an allow list of its own server only', { ...enable('/(/'), server: 'b' }, 'a:x', true],
    ['a disabling rule disables everything', disable('/(?=delete)/'), 'a:x', false],
    ['a disabling rule disables what its other patterns match', disable('x', '/(/'), 'a:x', false],
    ['a disabling rule disables all tools of its server', { ...disable('/delete(/'), server: 'a' }, 'a:y', false],
    ['a disabling rule leaves other servers alone', { ...disable('/delete(/'), server: 'a' }, 'b:y', true],
    ['a disabling rule keeps the exceptions that can be read', disable('/(/', '!x'), 'a:x', true],
    ['a disabling rule loses the exceptions that cannot be read', disable('*x', '!/(/'), 'a:x', false],
    ['an exception that cannot be read makes a rule no wider', disable('*x', '!/(/'), 'a:y', true],
    [
      'a disabling rule with an invalid server applies to every server',
      { ...disable('*x'), server: '/(/' },
      'a:x',
      false,
    ],
    ['a rule with only tags decides nothing', { pattern: ['/(/'], tags: ['t'] }, 'a:x', true],
  ])('with an invalid pattern, %s', (_claim, rule, id, enabled) => {
    const [server = '', tool = ''] = id.split(':')
    expect(problemsOf([rule])).toHaveLength(1)
    expect(compileRules([rule]).decide(server, tool)).toMatchObject({ enabled, tags: [] })
  })

  it('prefers an unreadable disabling rule to an earlier rule that matches only the server name, and to an enabling default', () => {
    const rules = compileRules([enable('*'), enable('*github*'), disable('/delete(/')])
    expect([rules.decide('github', 'sync'), rules.decide('files', 'sync')]).toMatchObject([
      { enabled: false, rule: 3 },
      { enabled: false, rule: 3 },
    ])
  })
})
