import { describe, expect, it } from 'vitest'
import { loadTokenCounter } from '../../core/tokens.ts'
import type { ListedTool } from '../../core/tool.ts'
import { countListing, OPENING_TOKENS } from '../../disclosure/strategies/listing/tool-cost.ts'
import { createTokenCosts } from './token-costs.ts'

const schema = (properties: object) => ({ type: 'object', properties })
const tools: readonly ListedTool[] = [
  { name: 'read_file', description: 'Read a file.', inputSchema: schema({ path: { type: 'string' } }) },
  { name: 'umbenennen', description: 'Ändert den Namen einer Datei: größer, schöner.', inputSchema: schema({}) },
  { name: '翻訳', description: '文書を翻訳する。'.repeat(40), inputSchema: schema({ text: { type: 'string' } }) },
  { name: 'long', description: `${'word '.repeat(500)}.`, inputSchema: schema({}) },
]

describe('the tokens of a list', () => {
  it('counts the same tokens for a list as for its whole text; for a long list they may differ by 1', async () => {
    const { countListing: sliced, countText } = createTokenCosts()
    for (const listed of [tools, tools.slice(0, 1), tools.slice(1), []]) {
      expect(await sliced(listed)).toBe(await countListing(listed))
    }
    const many = Array.from({ length: 2_001 }, (_, at) => ({ ...tools[0], name: `read_${at}` }) as ListedTool) // a tool with another name
    expect(Math.abs((await sliced(many)) - (await countListing(many)))).toBeLessThanOrEqual(1)
    const count = await loadTokenCounter()
    const text = JSON.stringify(tools)
    expect(await countText(text)).toBe(count(text))
    expect(count('{')).toBe(OPENING_TOKENS)
  })
})
