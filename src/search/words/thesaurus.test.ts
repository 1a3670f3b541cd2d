import { describe, expect, it, vi } from 'vitest'
import { stem } from './stem.ts'
import { NEAR_WORDS, SAME_WORDS } from './synonyms.ts'
import { LONGEST_PHRASE, serializeThesaurus, synonymsOf } from './thesaurus.ts'
import { STOP_WORDS } from './weak-words.ts'

const kindOf = (word: string, other: string) => synonymsOf(word).find(({ term }) => term === stem(other))?.kind
const names = `${SAME_WORDS} ${NEAR_WORDS}`.split(/[\s|]+/).filter(Boolean)

describe('synonymsOf', () => {
  it.each([
    ['delet', 'remove'],
    ['repo', 'repository'],
    ['db', 'database'],
    ['email', 'mail'],
    ['film', 'movie'],
    ['pull request', 'pr'],
    ['pr', 'request'],
  ])('finds a synonym of %s: %s', (word, other) => {
    expect(kindOf(word, other)).toBe('same')
  })

  it('distinguishes words of one subject from words with the same meaning', () => {
    expect(kindOf(stem('weather'), 'umbrella')).toBe('near')
    expect(kindOf(stem('weather'), 'forecast')).toBe('same')
  })

  it('returns synonyms in both directions between the single words of a group', () => {
    const groups = `${SAME_WORDS}|${NEAR_WORDS}`.split(/[|\n]/)
    const broken = groups.filter((group) => {
      const terms = group
        .split(/\s+/)
        .filter((name) => name !== '' && !name.includes('_'))
        .map(stem)
      return terms.some((one) => {
        const others = new Set([one, ...synonymsOf(one).map(({ term }) => term)])
        return terms.some((other) => !others.has(other))
      })
    })
    expect(broken).toEqual([])
  })

  it('never returns the word itself, and returns nothing for unknown words', () => {
    expect(names.filter((name) => synonymsOf(stem(name)).some(({ term }) => term === stem(name)))).toEqual([])
    for (const word of ['', 'xylophone', 'constructor', '__proto__']) expect(synonymsOf(word)).toEqual([])
  })

  it('has no stop word in its lists, and no name longer than the longest phrase of a query', () => {
    expect(names.filter((name) => name.split('_').length > LONGEST_PHRASE)).toEqual([])
    expect(names.filter((name) => STOP_WORDS.has(name))).toEqual([])
  })
})

describe('the thesaurus loaded from a file', () => {
  it('returns the same synonyms as the original', async () => {
    const text = Buffer.from(serializeThesaurus())
    vi.resetModules()
    const fresh = await import('./thesaurus.ts')
    expect(fresh.synonymsOf).not.toBe(synonymsOf)
    fresh.loadThesaurus(text)
    const terms = text
      .toString()
      .split('\n')
      .map((line) => line.split('\t')[0] ?? '')
    expect(terms.length).toBeGreaterThan(1_000)
    for (const term of [...terms, 'nosuchword']) expect(fresh.synonymsOf(term)).toEqual(synonymsOf(term))
  })
})
