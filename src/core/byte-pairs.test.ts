import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { countTokens, encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { createBytePairCounter, unpackRanks } from './byte-pairs.ts'

const rankFile = new URL('../../dist/core/o200k.bin', import.meta.url)
const count = createBytePairCounter(await unpackRanks(readFileSync(rankFile)))
const PLAIN = { disallowedSpecial: new Set<string>() }
/** Removes byte order marks, because gpt-tokenizer does not find them in its table. */
const expectSame = (given: string) => {
  const text = given.replaceAll('\uFEFF', '')
  expect([text, count(text)]).toEqual([text, countTokens(text, PLAIN)])
}

describe('createBytePairCounter', () => {
  it('counts any text as gpt-tokenizer does', () => {
    const units = ['binary', 'grapheme', 'binary-ascii'] as const
    for (const unit of units)
      fc.assert(fc.property(fc.string({ unit, maxLength: 200 }), expectSame), { numRuns: 2_000 })
  })

  it('counts half of a surrogate pair as gpt-tokenizer does', () => {
    const codes = fc.array(fc.integer({ min: 0xd7_f0, max: 0xe0_10 }), { maxLength: 12 })
    fc.assert(fc.property(codes, (units) => expectSame(String.fromCharCode(...units))))
  })

  it('counts words of many scripts, punctuation, spaces and special tokens as gpt-tokenizer does', () => {
    const part = fc.constantFrom(
      ...[
        "it's",
        "I'LL",
        'camelCaseName',
        'SCREAMING_SNAKE',
        'naïve',
        'Straße',
        'самостоятельно',
        '必应搜索',
        'ภาษาไทย',
      ],
      ...[
        'العربية',
        'हिन्दी',
        '한국어',
        '👩‍🚀',
        'é',
        '<|endoftext|>',
        '{"type":"object"}',
        '====',
        '//\n',
        '\r\n\r\n',
        '   ',
      ],
      ...['\t\t', '1234567', '٣٤٥', '½', '\u00a0', 'a'.repeat(60), '漢'.repeat(30)],
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        expectSame(parts.join(''))
        expectSame(parts.join(' '))
      }),
      { numRuns: 1_000 },
    )
  })

  it('counts a byte order mark as one token', () => {
    expect(count('\uFEFF')).toBe(1)
  })

  it('counts a word that is itself a token as gpt-tokenizer does', () => {
    // The counter finds these words in the table and merges no bytes.
    for (const word of [' самостоятельно', ' tokenizer', 'schema', '必应']) {
      expect([word, count(word)]).toEqual([word, encode(word).length])
    }
  })

  const catalog = `${process.env.TOOLCRIB_DATA ?? '../shared/data'}/catalog.jsonl`
  it.runIf(existsSync(catalog))('counts the tools of real servers as gpt-tokenizer does', () => {
    for (const line of readFileSync(catalog, 'utf8').split('\n')) {
      for (let at = 0; at < line.length; at += 2_000) {
        const text = line.slice(at, at + 2_000)
        expect(count(text)).toBe(countTokens(text, PLAIN))
      }
    }
  })
})
