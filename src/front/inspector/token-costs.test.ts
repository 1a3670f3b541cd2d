import { describe, expect, it } from 'vitest'
import { loadTokenCounter } from '../../core/tokens.ts'
import type { DescribedTool, ListedTool } from '../../core/tool.ts'
import { listInFull } from '../../disclosure/listed.ts'
import { countListing, OPENING_TOKENS } from '../../disclosure/strategies/listing/tool-cost.ts'
import { createTokenCosts } from './token-costs.ts'

const schema = (properties: object) => ({ type: 'object', properties })
const tools: readonly ListedTool[] = [
  { name: 'read_file', description: 'Read a file.', inputSchema: schema({ path: { type: 'string' } }) },
  { name: 'umbenennen', description: 'Ändert den Namen einer Datei: größer, schöner.', inputSchema: schema({}) },
  { name: '翻訳', description: '文書を翻訳する。'.repeat(40), inputSchema: schema({ text: { type: 'string' } }) },
  // The tokenizer joins the ends of these tools with what follows them.
  { name: 'empty', description: 'No parameters.', inputSchema: { properties: {} } },
  { name: 'nested', description: 'Lists.', inputSchema: { type: 'object', examples: [[]] } },
  { name: 'blank', description: 'A space.', inputSchema: { type: 'object', title: ' ' } },
  { name: 'long', description: `${'word '.repeat(500)}.`, inputSchema: schema({}) },
]

describe('the tokens of a list', () => {
  it('counts the same tokens for a list as for its whole text', async () => {
    const { countListing: sliced, countText } = createTokenCosts()
    const many = Array.from({ length: 2_001 }, (_, at) => ({ ...tools[0], name: `read_${at}` }) as ListedTool) // a tool with another name
    for (const listed of [tools, tools.slice(0, 1), tools.slice(1), tools.toReversed(), many, []]) {
      expect(await sliced(listed)).toBe(await countListing(listed))
    }
    const count = await loadTokenCounter()
    const text = JSON.stringify(tools)
    expect(await countText(text)).toBe(count(text))
    expect(count('{"')).toBe(OPENING_TOKENS)
  })
  it('the sum of the tokens of tools is the count of their full list', async () => {
    const described = tools.map((tool) => ({ ...tool, listedName: tool.name, traits: {} }) as unknown as DescribedTool) // the fields that are listed
    const costs = createTokenCosts()
    await costs.count(described)
    for (const some of [described, described.slice(0, 2), described.slice(0, 3), described.slice(0, 5), []]) {
      expect(costs.ofAll(some)).toBe(some.length === 0 ? 0 : await countListing(some.map(listInFull)))
    }
  })
  it('the tokens per byte are those of the counted tools, and undefined before a count', async () => {
    const described = tools.map((tool) => ({ ...tool, listedName: tool.name, traits: {} }) as unknown as DescribedTool) // the fields that are listed
    const costs = createTokenCosts()
    expect(costs.perByte(described)).toBeUndefined()
    await costs.count(described)
    const text = JSON.stringify(described.map(listInFull))
    const count = await loadTokenCounter()
    expect(costs.perByte(described)).toBeCloseTo(count(text) / Buffer.byteLength(text), 2)
    const japanese = described.slice(2, 3)
    expect(costs.perByte(japanese)).not.toBeCloseTo(costs.perByte(described.slice(0, 1)) ?? 0, 2)
    expect(costs.perByte([])).toBeUndefined()
  })
})
