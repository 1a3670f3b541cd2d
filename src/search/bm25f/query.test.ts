import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitNeeds } from './query.ts'

describe('splitNeeds', () => {
  it.each([
    ['weather in Rome', ['weather in Rome']],
    ['Find a flight. Then book a hotel!', ['Find a flight.', 'Then book a hotel!']],
    ['What is it? Tell me;  now', ['What is it?', 'Tell me;', 'now']],
    ['open index.html with node.js 3.5', ['open index.html with node.js 3.5']],
    ['one\ntwo\r\n\nthree', ['one', 'two', 'three']],
    ['查天气。订酒店！', ['查天气。', '订酒店！']],
    ['Find a flight, then book a hotel', ['Find a flight', 'book a hotel']],
    ['find a flight AND  THEN book it and also a car', ['find a flight', 'book it', 'a car']],
    ['the weather as well as the news. After that a song', ['the weather', 'the news.', 'a song']],
    ['bread and butter, thence and thenceforth', ['bread and butter, thence and thenceforth']],
    ['...', ['...']],
    ['', []],
    [' \n ', []],
  ])('splits %j into %j', (query, needs) => {
    expect(splitNeeds(query)).toEqual(needs)
  })

  it('removes only spaces from a text without words such as "then", and returns at most 12 needs', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '.', '?', '\n', ';') })
    fc.assert(
      fc.property(text, (query) => {
        const needs = splitNeeds(query)
        expect(needs.join('').replace(/\s/g, '')).toBe(query.replace(/\s/g, ''))
        expect(needs.length).toBeLessThanOrEqual(12)
      }),
    )
    expect(splitNeeds('a. '.repeat(500)).length).toBe(12)
  })

  it('splits a request of 100 kB in less than 1 s', () => {
    const texts = ['.'.repeat(100_000), `${'. '.repeat(50_000)}x`, '?!'.repeat(50_000), 'and then '.repeat(11_000)]
    for (const text of [...texts, `,${' '.repeat(100_000)}then`, ', '.repeat(50_000), 'and'.repeat(33_000)]) {
      const startedAt = performance.now()
      splitNeeds(text)
      expect(performance.now() - startedAt).toBeLessThan(1_000)
    }
  })
})
