import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { takeSnapshot } from '../../catalog/snapshot.ts'
import type { Tool } from '../../core/tool.ts'
import { entryOf } from '../../sources/source.fixture.ts'
import { bm25f } from './bm25f.ts'
import { relevanceOf } from './choose.ts'
import { TUNING } from './tuning.ts'

// Words that have no synonyms, are their own stems, and are not similar to each other.
const WORDS = ['zorblum', 'quixwef', 'vantgip', 'hyprdok', 'mubfanc']
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 })
const sources = fc.array(fc.array(words, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })
const needs = fc.array(words, { minLength: 1, maxLength: 3 })

describe('the score of a tool', () => {
  it('equals the value of the formula, computed without an index, except for rounding', async () => {
    await fc.assert(
      fc.asyncProperty(sources, needs, async (texts, wanted) => {
        const { tools, ...snapshot } = takeSnapshot(
          texts.map((some, at) => ({
            sourceId: `${at}`,
            entries: some.map((text, n) => entryOf(`${n}`, { description: text.join(' '), category: 'x' })),
          })),
        )
        const index = await bm25f({ tools, ...snapshot }, new AbortController().signal)
        const hits = await index.search(`${wanted.map((need) => need.join(' ')).join('. ')}.`, { limit: 100 })
        const slow = slowScores(tools, wanted)
        const found = new Map(hits.map((hit) => [hit.id, hit.relevance]))
        expect(tools.filter((_, at) => (slow[at] ?? 0) > 0).map(({ id }) => found.has(id))).not.toContain(false)
        expect(found.size).toBe(slow.filter((score) => score > 0).length)
        // Impacts have single precision, which can change the rounding.
        const apart = tools.map(({ id }, at) => (found.get(id) ?? 0) - relevanceOf(slow[at] ?? 0, TUNING.needNorm))
        expect(Math.max(...apart.map(Math.abs))).toBeLessThan(0.011)
      }),
    )
  })
})

function slowScores(tools: readonly Tool[], needs: readonly (readonly string[])[]): number[] {
  const { needNorm, needBalance, lent, lentSize, pair } = TUNING
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const read = needs.map((need) => {
    const words = [...new Set(need)]
    const worth = (one: Tool, text: string) => rarity(text, tools) * impact(text, one)
    const byTool = tools.map(
      (one) => sum(words.map((word) => worth(one, word))) + sum(pairsOf(need).map((both) => pair * worth(one, both))),
    )
    const best = Math.max(...byTool)
    return { byTool, mass: sum(words.map((word) => rarity(word, tools))), scale: best > 0 ? best ** -needBalance : 1 }
  })
  const own = tools.map((_, at) => sum(read.map(({ byTool, scale }) => ((byTool[at] ?? 0) * scale) ** needNorm)))
  const ideal = Math.max(...read.map(({ mass, scale }) => mass * scale)) ** needNorm * (1 + lent)
  return tools.map(({ sourceId }, at) => {
    const family = own.filter((_, other) => tools[other]?.sourceId === sourceId)
    const score = own[at] ?? 0
    return score === 0 ? 0 : (score + (lent / (1 + family.length / lentSize)) * Math.max(...family)) / ideal
  })
}

function pairsOf(words: readonly string[]): string[] {
  return [...new Set(words.slice(1).map((word, at) => `${words[at]} ${word}`))]
}

/** How often a tool contains a word, or two consecutive words. */
function countOf(text: string, { description }: Tool): number {
  const words = description.split(' ')
  const width = text.split(' ').length
  return words.filter((_, at) => words.slice(at, at + width).join(' ') === text).length
}

function rarity(text: string, tools: readonly Tool[]): number {
  const spread = tools.filter((tool) => countOf(text, tool) > 0).length
  return Math.log(1 + (tools.length - spread + 0.5) / (spread + 0.5))
}

function impact(text: string, tool: Tool): number {
  const { weight, b, pivot } = TUNING.fields.summary
  const length = tool.description.split(' ').length
  const count = (countOf(text, tool) * weight) / (1 - b + (b * length) / pivot)
  return count / (TUNING.k1 + count)
}
