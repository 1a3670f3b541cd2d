import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { legalName, MAX_NAME_CHARS, uniqueNames } from './naming.ts'

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/
const HASHED = /_[0-9a-f]{8}$/

/** Short names of ten different characters, so that many of them collide once they are made legal. */
const short = fc.string({ unit: fc.constantFrom('a', 'B', '_', '-', '.', ' ', '/', 'é', '日', '💥'), maxLength: 4 })
/** Names with a length around the limit where names are cut. */
const long = fc.tuple(fc.integer({ min: 53, max: 70 }), short).map(([length, end]) => 'x'.repeat(length) + end)
const name = fc.oneof(short, long, fc.string({ unit: 'binary', maxLength: 80 }))
const names = fc.uniqueArray(name, { maxLength: 20 })

describe('legalName', () => {
  it.each([
    ['order-create', 'order-create'],
    ['git__push.v2', 'git__push_v2'],
    ['Time Tracking', 'Time_Tracking'],
    ['a/b:c', 'a_b_c'],
    ['naïve', 'na_ve'],
    ['x'.repeat(64), 'x'.repeat(64)],
  ])('turns the name %j into the legal name %j', (given, legal) => {
    expect(legalName(given)).toBe(legal)
  })

  it('gives the same result as replacing one character at a time, for names that are short enough', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: MAX_NAME_CHARS }), (given) => {
        let slow = ''
        for (let index = 0; index < given.length; index++) {
          const unit = given.charAt(index)
          slow += 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'.includes(unit) ? unit : '_'
        }
        expect(legalName(given)).toBe(slow)
      }),
    )
  })

  it('returns a legal name for any text, including the empty text', () => {
    fc.assert(
      fc.property(name, (given) => {
        expect(legalName(given)).toMatch(LEGAL)
      }),
      { examples: [['']] },
    )
  })

  it('leaves a legal name unchanged', () => {
    fc.assert(
      fc.property(name, (given) => {
        expect(legalName(legalName(given))).toBe(legalName(given))
      }),
    )
  })

  it('gives long names with the same start different hashes', () => {
    const [one, two] = [`${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`]
    expect(legalName(one)).toHaveLength(MAX_NAME_CHARS)
    expect(legalName(one)).toMatch(HASHED)
    expect(legalName(one)).not.toBe(legalName(two))
  })

  it('always returns the same name for a long name, because prompt caches and scripts depend on names', () => {
    expect(legalName('y'.repeat(70))).toBe(`${'y'.repeat(55)}_a76b8d19`)
  })
})

/** Uses each name as its own key. */
function uniqueOf(given: readonly string[]): ReadonlyMap<string, string> {
  return uniqueNames(new Map(given.map((name) => [name, name])))
}

describe('uniqueNames', () => {
  it('gives each name a unique legal name of at most 64 characters', () => {
    fc.assert(
      fc.property(names, (given) => {
        const listed = uniqueOf(given)
        expect([...listed.keys()].sort()).toEqual(given.toSorted())
        expect(new Set(listed.values()).size).toBe(given.length)
        for (const legal of listed.values()) expect(legal).toMatch(LEGAL)
      }),
    )
  })

  it('depends only on the set of names, not on their order or on repeats', () => {
    fc.assert(
      fc.property(
        names.chain((given) =>
          fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length }), fc.subarray(given)),
        ),
        ([given, shuffled, again]) => {
          const listed = uniqueOf(given)
          const other = uniqueOf([...again, ...shuffled])
          for (const one of given) expect(other.get(one)).toBe(listed.get(one))
        },
      ),
    )
  })

  it('keeps a name when unrelated names are added', () => {
    fc.assert(
      fc.property(names, names, (given, added) => {
        const before = uniqueOf(given)
        const held = new Set([...given.map(legalName), ...before.values()])
        const unrelated = added.filter((one) => !held.has(legalName(one)))
        const after = uniqueOf([...given, ...unrelated])
        for (const one of given) expect(after.get(one)).toBe(before.get(one))
      }),
    )
  })

  it('adds a hash if several names map to one legal name, and otherwise only to a name that ends like a hash', () => {
    fc.assert(
      fc.property(names, (given) => {
        const listed = uniqueOf(given)
        for (const one of given) {
          const claims = given.filter((other) => legalName(other) === legalName(one)).length
          const takesIt = listed.get(one) === legalName(one)
          if (claims > 1) expect(takesIt).toBe(false)
          // A single claim fails only if the name equals a hashed name of another tool.
          else expect(takesIt || HASHED.test(legalName(one))).toBe(true)
        }
      }),
    )
  })

  it('adds a hash to every name that collides, so that the result does not depend on the order', () => {
    const listed = uniqueOf(['a b', 'a_b', 'a/b', 'other'])
    expect(listed.get('other')).toBe('other')
    for (const one of ['a b', 'a_b', 'a/b']) expect(listed.get(one)).toMatch(/^a_b_[0-9a-f]{8}$/)
  })

  it('gives two keys with the same wanted name different names, and never uses a reserved name', () => {
    const listed = uniqueNames(
      new Map([
        ['["a","b__c"]', 'a__b__c'],
        ['["a__b","c"]', 'a__b__c'],
        ['["x","afd-call"]', 'afd-call'],
      ]),
      ['afd-call'],
    )
    expect(new Set(listed.values()).size).toBe(3)
    expect([...listed.values()]).not.toContain('afd-call')
    for (const legal of listed.values()) expect(legal).toMatch(HASHED)
  })

  it('gives three different names if one name equals the hashed name of another', () => {
    const taken = uniqueOf(['a b', 'a_b']).get('a b') ?? ''
    const listed = uniqueOf(['a b', 'a_b', taken])
    expect(new Set(listed.values()).size).toBe(3)
    for (const legal of listed.values()) expect(legal).toMatch(LEGAL)
  })
})
