import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ToolRule } from '../config/server-config.ts'
import { compileRuleSets, findOddInSets } from './rule-sets.ts'
import { decideSlowly } from './rules.fixture.ts'

const name = fc.constantFrom('a', 'b', 'ab', 'a_b')
const rule: fc.Arbitrary<ToolRule> = fc.record(
  {
    pattern: fc.array(fc.constantFrom('*', 'a', 'b*', '!a', '/b$/'), { minLength: 1, maxLength: 2 }),
    server: name,
    enabled: fc.boolean(),
    tags: fc.array(fc.constantFrom('t', 'u'), { maxLength: 2 }),
  },
  { requiredKeys: ['pattern'] },
)
const ruleList = fc.array(rule, { maxLength: 5 })

describe('compileRuleSets', () => {
  it('enables a tool only if both rule sets enable it, for any rules', () => {
    fc.assert(
      fc.property(ruleList, ruleList, name, name, (rules, projectRules, server, tool) => {
        const { decide } = compileRuleSets({ rules, projectRules })
        const [own, theirs] = [decideSlowly(rules, server, tool), decideSlowly(projectRules, server, tool)]
        const decision = decide(server, tool)
        expect(decision.enabled).toBe(own.enabled && theirs.enabled)
        if (!own.enabled) expect(decision).toEqual(own)
        else if (!theirs.enabled) expect(decision).toMatchObject({ owner: 'project' })
      }),
    )
  })

  it('marks rules of the project in decisions and in messages', () => {
    const rules = [{ pattern: ['a'], enabled: false }]
    const projectRules = [
      { pattern: ['a'], enabled: true },
      { pattern: ['b'], enabled: false },
      { pattern: ['*'], enabled: true },
    ]
    const compiled = compileRuleSets({ rules, projectRules })
    const { decide } = compiled
    expect(decide('s', 'a')).toEqual({ enabled: false, rule: 1, tags: [] })
    expect(decide('s', 'b')).toEqual({ enabled: false, rule: 2, owner: 'project', tags: [] })
    expect(decide('s', 'c')).toMatchObject({ enabled: true })
    const odd = findOddInSets(compiled, { tools: [{ server: 's', tool: 'c' }] })
    expect(odd.map(({ message }) => message)).toEqual([
      'Rule 1 matches no tool',
      'In the config of the project: Rule 1 matches no tool',
      'In the config of the project: Rule 2 matches no tool',
    ])
  })
})

describe('findOddInSets', () => {
  const tools = ['read', 'write'].map((tool) => ({ server: 's', tool }))
  const messages = (rules: readonly ToolRule[], projectRules: readonly ToolRule[]) =>
    findOddInSets(compileRuleSets({ rules, projectRules }), { tools }).map(({ kind, message }) => [kind, message])

  it('reports a server that loses its last tool only because both rule sets apply', () => {
    const without = (tool: string): ToolRule => ({ pattern: [tool], enabled: false })
    expect(messages([without('read')], [without('write')])).toEqual([
      [
        'server-without-tools',
        "Your rules and those of the project together leave server 's' without a tool: your rules disable 1 tool, those of the project 1 tool",
      ],
    ])
    expect(messages([without('read')], [])).toEqual([])
    expect(messages([], [without('*')])).toHaveLength(1)
  })

  it('reports a rule of the project that decides only about tools that the rules of the user disable', () => {
    const rules: ToolRule[] = [{ pattern: ['read'], enabled: false }]
    const never =
      'In the config of the project: Rule 1 never decides: your own rules disable every tool that it would decide'
    expect(messages(rules, [{ pattern: ['read'], enabled: false }])).toEqual([['preceded', never]])
    expect(messages(rules, [{ pattern: ['*r*'], enabled: false }]).map(([kind]) => kind)).not.toContain('preceded')
    expect(messages(rules, [{ pattern: ['read'], tags: ['t'] }])).toEqual([])
  })
})
