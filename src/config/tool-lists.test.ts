import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ToolRule } from './server-config.ts'
import { inBoth, rulesOfLists, type ToolLists } from './tool-lists.ts'

const origin = { source: 'codex', file: 'config.toml' }

/** A simple version of the rule order, for the patterns used here. */
function isEnabled(server: string, tool: string, rules: readonly ToolRule[]): boolean {
  const isDefault = (rule: ToolRule) =>
    rule.server === undefined && rule.pattern.length === 1 && rule.pattern[0] === '*'
  const ordered = [...rules.filter((rule) => !isDefault(rule)), ...rules.filter(isDefault)]
  const deciding = ordered.find((rule) => rule.enabled !== undefined && applies(rule, server, tool))
  if (deciding?.enabled !== undefined) return deciding.enabled
  return !rules.some((rule) => rule.enabled === true)
}

function applies({ pattern, server: ruleServer }: ToolRule, server: string, tool: string): boolean {
  if (ruleServer !== undefined && ruleServer !== server) return false
  const names = ruleServer === undefined ? [tool, `${server}_${tool}`] : [tool]
  const isIn = (one: string) => names.some((name) => matches(one, name))
  const wanted = pattern.filter((one) => !one.startsWith('!'))
  const unwanted = pattern.filter((one) => one.startsWith('!')).map((one) => one.slice(1))
  return (wanted.length === 0 || wanted.some(isIn)) && !unwanted.some(isIn)
}

function matches(pattern: string, name: string): boolean {
  const regex = /^\/(.*)\/$/s.exec(pattern)?.[1]
  if (regex !== undefined) return new RegExp(regex).test(name)
  return pattern === '*' || pattern.toLowerCase() === name.toLowerCase()
}

const toolName = fc.constantFrom('read', 'Read', 'write', 'delete_all', 'a.b', 'a+b', 'x*', 'a/b', '[x]', 'read_all')
const lists: fc.Arbitrary<ToolLists> = fc.record(
  { allow: fc.uniqueArray(toolName), deny: fc.uniqueArray(toolName) },
  { requiredKeys: [] },
)
const userRule: fc.Arbitrary<ToolRule> = fc.record(
  {
    pattern: fc.array(
      fc.oneof(
        fc.constant('*'),
        toolName.filter((name) => /^\w+$/.test(name)),
      ),
      { minLength: 1, maxLength: 2 },
    ),
    server: fc.constantFrom('git', 'files'),
    enabled: fc.boolean(),
  },
  { requiredKeys: ['pattern'] },
)

describe('rulesOfLists', () => {
  it('disables exactly the tools that a client denies or does not allow', () => {
    fc.assert(
      fc.property(lists, toolName, (given, tool) => {
        const { allow, deny = [] } = given
        const isOff = (allow !== undefined && !allow.includes(tool)) || deny.includes(tool)
        // A denied name ignores case, which can only disable more.
        fc.pre(!deny.some((name) => name !== tool && name.toLowerCase() === tool.toLowerCase()))
        expect(isEnabled('git', tool, rulesOfLists('git', given, origin))).toBe(!isOff)
        expect(isEnabled('files', tool, rulesOfLists('git', given, origin))).toBe(true)
      }),
    )
  })

  it('enables no tool that the rules of the user disable, for any rules and tool lists', () => {
    fc.assert(
      fc.property(
        fc.array(userRule, { maxLength: 4 }),
        lists,
        toolName,
        fc.constantFrom('git', 'files'),
        (own, given, tool, server) => {
          const before = isEnabled(server, tool, own)
          const after = isEnabled(server, tool, [...own, ...rulesOfLists('git', given, origin)])
          if (server === 'files') expect(after).toBe(before)
          if (after) expect(before).toBe(true)
        },
      ),
    )
  })

  it('gives the tool lists of a client precedence over a default rule that enables everything', () => {
    const rules = [{ pattern: ['*'], enabled: true }, ...rulesOfLists('git', { allow: ['read'] }, origin)]
    expect(isEnabled('git', 'read', rules)).toBe(true)
    expect(isEnabled('git', 'write', rules)).toBe(false)
    expect(isEnabled('files', 'write', rules)).toBe(true)
  })

  it('turns the tool lists of a client into rules with their origin', () => {
    expect(rulesOfLists('git', { allow: ['read', 'a.b'], deny: ['drop'] }, origin)).toEqual([
      { server: 'git', pattern: ['!/^read$/', '!/^a\\.b$/'], enabled: false, origin },
      { server: 'git', pattern: ['drop'], enabled: false, origin },
    ])
    expect(rulesOfLists('git', { allow: [] }, origin)).toEqual([
      { server: 'git', pattern: ['*'], enabled: false, origin },
    ])
    expect(rulesOfLists('git', {}, origin)).toEqual([])
    expect(rulesOfLists('io.github/[git]*', { deny: ['rm -rf', 'a*'] }, origin)).toMatchObject([
      { server: '/^io\\.github\\/\\[git\\]\\*$/', pattern: ['rm -rf', '/^a\\*$/'] },
    ])
  })
})

it('inBoth returns the tools that both allow lists contain', () => {
  expect(inBoth(['a', 'b'], ['b', 'c'])).toEqual(['b'])
  expect(inBoth(['a'], undefined)).toEqual(['a'])
  expect(inBoth(undefined, undefined)).toBeUndefined()
})
