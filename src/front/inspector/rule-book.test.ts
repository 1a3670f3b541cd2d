import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LoadedConfig } from '../../config/load/load.ts'
import type { ToolRule } from '../../config/server-config.ts'
import type { Tool } from '../../core/tool.ts'
import { compileRuleSets, findOddInSets } from '../../rules/rule-sets.ts'
import { createRuleBook } from './rule-book.ts'
import { createTokenCosts } from './token-costs.ts'

const toolOf = (sourceId: string, name: string): Tool => ({
  id: `${sourceId}:${name}`,
  sourceId,
  name,
  listedName: `${sourceId}__${name}`,
  category: sourceId,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  traits: {},
  validate: (value) => ({ ok: true, value }),
})
const tools = ['files', 'mail'].flatMap((server) =>
  ['read_one', 'read_all', 'delete_one', 'send'].map((name) => toolOf(server, name)),
)

function bookOf(rules: readonly ToolRule[], projectRules: readonly ToolRule[] = []) {
  const loaded = { rules, projectRules } as unknown as LoadedConfig // only the rules are read
  return createRuleBook(() => loaded, createTokenCosts())
}

describe('the rules of the inspector', () => {
  it('lists the rules in order, each with the tools that it matches and decides', async () => {
    const book = bookOf([
      { pattern: ['delete_*'], enabled: false },
      { pattern: ['*_one'] },
      { pattern: ['read_one'], enabled: false },
      { pattern: ['read_*'], tags: ['reading'] },
      { pattern: ['*'] },
    ])
    expect(await book.list(tools)).toEqual([
      { index: 1, text: 'delete_* → disabled', effect: 'disables', decides: 2, matches: 2 },
      { index: 2, text: '*_one → enabled', effect: 'enables', decides: 2, matches: 4 },
      { index: 3, text: 'read_one → disabled', effect: 'disables', decides: 0, matches: 2, shadowedBy: 2 },
      { index: 4, text: 'read_* → tags: [reading]', effect: 'tags', decides: 0, matches: 4 },
      { index: 5, text: '* → enabled', effect: 'enables', decides: 4, matches: 8 },
    ])
  })

  it('names the rule that decides about a tool, and says if it is a rule of the project', () => {
    const book = bookOf(
      [{ pattern: ['delete_*'], enabled: false }, { pattern: ['*'] }],
      [{ pattern: ['send'], enabled: false }],
    )
    const [first, second, third] = ['read_one', 'delete_one', 'send'].map((name) => book.deciding(toolOf('mail', name)))
    expect(first).toEqual({ index: 2, text: '* → enabled' })
    expect(second).toEqual({ index: 1, text: 'delete_* → disabled' })
    expect(third).toEqual({ index: 1, text: 'send → disabled', owner: 'project' })
  })

  it('counts for a rule only the tools that the rules of the other config do not decide', async () => {
    const book = bookOf(
      [{ pattern: ['delete_*'], enabled: false }, { pattern: ['*'] }],
      [{ pattern: ['*_one'], enabled: false }],
    )
    expect((await book.list(tools)).map(({ text, decides, matches }) => [text, decides, matches])).toEqual([
      ['delete_* → disabled', 2, 2],
      ['* → enabled', 4, 8],
      ['*_one → disabled', 2, 4],
    ])
  })

  it('marks a rule as shadowed exactly if `config validate` reports it as shadowed', async () => {
    const pattern = fc.constantFrom('*', 'read_*', '*_one', 'delete_one', 'send', '/^s/', 'zebra', '!send')
    const rule = fc.record(
      {
        pattern: fc.array(pattern, { minLength: 1, maxLength: 2 }),
        enabled: fc.boolean(),
        server: fc.constantFrom('files', 'mail'),
        tags: fc.constant(['x']),
      },
      { requiredKeys: ['pattern'] },
    )
    const known = { tools: tools.map(({ sourceId, name }) => ({ server: sourceId, tool: name })) }
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { maxLength: 5 }), fc.array(rule, { maxLength: 3 }), async (own, project) => {
        const found = findOddInSets(compileRuleSets({ rules: own, projectRules: project }), known)
        const expected = found.flatMap((one) => (one.kind === 'shadowed' ? [[one.owner, one.rule, one.by[0]]] : []))
        const listed = await bookOf(own, project).list(tools)
        const shadowed = listed.flatMap((one) =>
          one.shadowedBy === undefined ? [] : [[one.owner ?? 'user', one.index, one.shadowedBy]],
        )
        expect(shadowed).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  it('shows what another rule would change at its position, and changes nothing', async () => {
    const book = bookOf([{ pattern: ['read_*'], enabled: false }])
    const preview = await book.preview(
      { rule: { pattern: 'read_all', server: 'mail', tags: ['x'], enabled: true } },
      tools,
    )
    expect(preview).toMatchObject({
      // An enabling rule makes an allow list for its server.
      enabled: ['mail:read_all'],
      disabled: ['mail:delete_one', 'mail:send'],
      tagged: ['mail:read_all'],
      problems: [],
      text: '{\n  "pattern": "read_all",\n  "server": "mail",\n  "enabled": true,\n  "tags": [\n    "x"\n  ]\n}',
    })
    expect(preview.tokensAfter).toBeLessThan(preview.tokensBefore)
    const last = await book.preview({ rule: { pattern: 'read_one', enabled: true, server: 'mail' }, at: 2 }, tools)
    expect(last.enabled).toEqual([])
    expect(await book.list(tools)).toHaveLength(1)
    expect(book.deciding(toolOf('mail', 'read_all'))).toEqual({ index: 1, text: 'read_* → disabled' })
    expect(book.deciding(toolOf('mail', 'send'))).toBeUndefined()
  })

  it('reports a pattern that cannot be read, with its effect', async () => {
    const { problems, disabled } = await bookOf([]).preview({ rule: { pattern: '/(/', enabled: false } }, tools)
    expect(problems).toEqual([expect.stringMatching(/^Rule 1 cannot be read and disables every tool/)])
    expect(disabled).toHaveLength(8)
  })
})
