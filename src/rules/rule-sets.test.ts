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

describe('the rules of the user and of a project', () => {
  it('enable a tool only if each set by itself does, whatever both say', () => {
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

  it('say whose rule it was', () => {
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
