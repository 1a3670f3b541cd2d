import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAllowance } from './allowance.ts'
import {
  affordReferences,
  type EarlierStep,
  findBadReference,
  isNestedDeeper,
  isReference,
  type PipeScope,
  resolveReferences,
} from './references.ts'

const ok = (data: unknown): EarlierStep => ({ command: 'ok', status: 'success', data })
const skipped: EarlierStep = { command: 'maybe', status: 'skipped' }
const failed: EarlierStep = { command: 'bad', status: 'failure' }

function scopeOf(earlier: readonly EarlierStep[], rest: Partial<PipeScope> = {}): PipeScope {
  return { earlier, input: undefined, aliases: new Map(), allowance: createAllowance(), ...rest }
}

function resolvedValue(value: unknown, scope: PipeScope): unknown {
  const resolved = resolveReferences(value, scope)
  if (!resolved.ok) throw new Error(resolved.missing.reason)
  return resolved.value
}

function missing(reference: unknown, scope: PipeScope) {
  const resolved = resolveReferences(reference, scope)
  return resolved.ok ? undefined : resolved.missing
}

describe('resolveReferences', () => {
  const scope = scopeOf([ok({ id: 1 }), ok([10, 20, { x: 'y' }]), ok({ items: [{ id: 'a' }], 'a b': { "it's": 2 } })], {
    input: { q: 'milk' },
    aliases: new Map([
      ['list', 1],
      ['last-one', 2],
    ]),
  })

  it.each([
    ['$first', { id: 1 }],
    ['$first.id', 1],
    ['$prev.items[0].id', 'a'],
    ['$prev.items.0.id', 'a'],
    ['$prev.items.length', 1],
    ['$input', { q: 'milk' }],
    ['$input.q', 'milk'],
    ['$steps[0].id', 1],
    ['$steps[1][2].x', 'y'],
    ['$steps.list[0]', 10],
    ['$steps["list"][0]', 10],
    ['$list[1]', 20],
    ['$last-one.items', [{ id: 'a' }]],
    ['$prev["a b"]', { "it's": 2 }],
    [`$prev["a b"]['it\\'s']`, 2],
  ])('resolves %s to the value itself, with its type', (reference, value) => {
    expect(resolvedValue(reference, scope)).toEqual(value)
  })

  it('resolves references at any depth in objects and arrays', () => {
    const input = { a: [{ b: '$first.id' }, '$list[0]'], c: { d: { e: '$input.q' } }, f: 'plain', g: null, h: 3 }
    expect(resolvedValue(input, scope)).toEqual({
      a: [{ b: 1 }, 10],
      c: { d: { e: 'milk' } },
      f: 'plain',
      g: null,
      h: 3,
    })
  })

  it('resolves only a whole text, never a part of a text', () => {
    expect(resolvedValue('see $first.id', scope)).toBe('see $first.id')
  })

  it.each(['$5.00', '$', '', '$ prev', 'US$', '$1prev'])('does not treat %j as a reference', (text) => {
    expect(isReference(text)).toBe(false)
    expect(resolvedValue(text, scope)).toBe(text)
  })

  it('removes one $ from a text that starts with $$', () => {
    expect(resolvedValue(['$$prev.id', '$$', '$$$x'], scope)).toEqual(['$prev.id', '$', '$$x'])
  })

  it('does not resolve references inside a resolved value', () => {
    expect(resolvedValue('$prev', scopeOf([ok({ text: '$nosuch', other: '$$' })]))).toEqual({
      text: '$nosuch',
      other: '$$',
    })
  })

  it('resolves any text to itself if a leading $ is doubled', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `$${text}`),
        ),
        (text) => {
          const escaped = text.startsWith('$') ? `$${text}` : text
          expect(resolvedValue(escaped, scope)).toBe(text)
        },
      ),
    )
  })

  it('changes nothing in a value without references', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // Removes every `$`, so that the value has no references.
        const inert = JSON.parse(JSON.stringify(value).replaceAll('$', 'S'))
        expect(resolvedValue(inert, scope)).toEqual(inert)
      }),
    )
  })

  it('resolves to any value, under any key', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, key) => {
        const reference = `$prev["${key.replaceAll(/["\\]/g, '\\$&')}"][0]`
        expect(resolvedValue(reference, scopeOf([ok({ [key]: [value] })]))).toBe(value)
      }),
    )
  })

  it('leaves dates and other class instances unchanged', () => {
    const when = new Date()
    expect(resolvedValue({ when }, scope)).toEqual({ when })
  })
})

describe('resolveReferences for a reference without a value', () => {
  it.each([
    ['$prev.nosuch', "has no value at $prev.nosuch: $prev is an object with 'items'"],
    ['$prev.items[3].id', 'has no value at $prev.items[3]: $prev.items is a list of 1 item'],
    ['$prev.items[0].id.x', 'has no value at $prev.items[0].id.x: $prev.items[0].id is a value of type number'],
    ['$steps[0].none.x', 'has no value at $steps[0].none.x: $steps[0].none is null'],
    ['$steps[0].empty.x', 'has no value at $steps[0].empty.x: $steps[0].empty is an empty object'],
    ['$input.x', 'has no value at $input.x: $input is a value of type string'],
  ])('reports for %s how far the path could be followed', (reference, reason) => {
    const scope = scopeOf([ok({ none: null, empty: {} }), ok({ items: [{ id: 1 }] })], { input: 'text' })
    expect(missing({ deep: [reference] }, scope)).toEqual({ reference, reason, isSkipped: false })
  })

  it.each(['__proto__', 'constructor', 'toString', 'constructor.prototype', '__proto__.polluted'])(
    'never reads %s from a prototype',
    (path) => {
      for (const data of [{}, [], 'text', 5]) {
        expect(resolveReferences(`$prev.${path}`, scopeOf([ok(data)])).ok).toBe(false)
      }
    },
  )

  it('finds no value in a step if its command returned no data', () => {
    expect(missing('$prev', scopeOf([ok(undefined)]))?.reason).toBe('has no value at $prev')
  })

  it('reports that the step failed or was skipped', () => {
    const scope = scopeOf([failed, skipped, ok(1)])
    expect(missing('$first', scope)).toMatchObject({
      reason: "has no value: step 0 ('bad') failed",
      isSkipped: false,
    })
    expect(missing('$steps[1].x', scope)).toMatchObject({
      reason: "has no value: step 1 ('maybe') was skipped",
      isSkipped: true,
    })
  })
})

describe('$prev', () => {
  it('resolves $prev to the last step that was not skipped', () => {
    expect(resolvedValue('$prev', scopeOf([ok('old'), ok('new'), skipped, skipped]))).toBe('new')
  })

  it('does not skip a failed step to find older data for $prev', () => {
    expect(missing('$prev', scopeOf([ok('old'), failed, skipped]))?.reason).toContain("('bad') failed")
  })

  it('finds no value for $prev when every step was skipped', () => {
    expect(missing('$prev', scopeOf([skipped]))).toMatchObject({
      reason: 'has no value: no step before this one has run',
      isSkipped: true,
    })
  })
})

describe('findBadReference', () => {
  const aliases = new Map([
    ['early', 0],
    ['self', 2],
    ['late', 3],
  ])
  const at = (step: number, reference: unknown, hasInput = false) =>
    findBadReference(reference, { step, stepCount: 4, hasInput, aliases })

  it.each([
    [0, '$prev', 'has no step before it'],
    [0, '$first.id', 'has no step before it'],
    [2, '$nosuch.id', "does not name a step: the earlier aliases are 'early'"],
    [0, '$nosuch', 'does not name a step: no earlier step has an alias'],
    [2, '$steps.nosuch', 'does not name a step'],
    [2, '$late', 'names step 3, which runs later'],
    [2, '$steps.late', 'names step 3, which runs later'],
    [2, '$steps[3]', 'names step 3, which runs later'],
    [2, '$self', 'names its own step'],
    [2, '$steps[2].x', 'names its own step'],
    [2, '$steps[4]', 'names step 4, but the steps are 0 to 3'],
    [2, '$input.x', "needs a field 'input' next to 'steps'"],
    [2, '$steps', 'needs [n] or .alias'],
    [2, '$prev.', "its path is malformed at '.'"],
    [2, '$prev..a', "its path is malformed at '..a'"],
    [2, '$prev[', 'its path is malformed'],
    [2, '$prev[x]', 'its path is malformed'],
    [2, '$prev[-1]', 'its path is malformed'],
    [2, '$prev["a]', 'its path is malformed'],
    [2, '$prev is it', "its path is malformed at ' is it'"],
    [2, '$prototype', 'does not name a step'],
  ])('refuses an invalid reference in step %i: %s', (step, reference, reason) => {
    expect(at(step, { a: [{ b: reference }] })).toEqual({ reference, reason: expect.stringContaining(reason) })
  })

  it('accepts valid references, and values that are not references', () => {
    const good = [
      '$prev.x',
      '$first',
      '$early[0]',
      '$steps.early',
      '$steps[1].a',
      '$input',
      '$$nosuch',
      '$9',
      'text',
      1,
    ]
    expect(at(2, good, true)).toBeUndefined()
  })
})

it('resolves references below a __proto__ key without changing a prototype', () => {
  const input = JSON.parse('{"__proto__": {"polluted": "$prev"}, "constructor": {"prototype": {"polluted": "$prev"}}}')
  const resolved = resolvedValue(input, scopeOf([ok('yes')]))
  expect(JSON.stringify(resolved)).toBe(
    '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}',
  )
  expect(Object.getPrototypeOf(resolved)).toBe(Object.prototype)
  expect({}).not.toHaveProperty('polluted')
})

it('counts nested levels without a stack overflow', () => {
  const nested = (levels: number) => JSON.parse(`${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`)
  expect(isNestedDeeper(nested(64), 64)).toBe(false)
  expect(isNestedDeeper(nested(66), 64)).toBe(true)
  expect(isNestedDeeper(nested(200_000), 64)).toBe(true)
})

describe('affordReferences', () => {
  const scope = (maxBytes: number) => scopeOf([ok({ list: [1, 2, 3] })], { allowance: createAllowance(maxBytes) })

  it('counts a referenced value once per use', () => {
    const value = { a: '$prev.list', b: ['$prev.list', { c: '$prev.list' }] }
    expect(affordReferences(value, scope(21))).toBe(true)
    expect(affordReferences(value, scope(20))).toBe(false)
  })

  it('counts all values that share an allowance together', () => {
    const shared = scope(16)
    expect([1, 2, 3].map(() => affordReferences('$prev.list', shared))).toEqual([true, true, false])
  })

  it('counts only referenced values: neither plain text nor references without a value', () => {
    expect(affordReferences(['x'.repeat(100), '$$prev', '$prev.nosuch'], scope(0))).toBe(true)
  })
})

it('describes an object with very many fields by its first few, and quickly when asked again', () => {
  const input = Object.fromEntries(Array.from({ length: 300_000 }, (_, at) => [`k${at}`, at]))
  const scope = scopeOf([], { input })
  const first = missing('$input.nope', scope)
  expect(first?.reason).toMatch(/'k0', .*'k9' and 299990 more$/)
  const startedAt = performance.now()
  for (let step = 0; step < 100; step++) missing('$input.nope', scope)
  const hundredLookupsMs = performance.now() - startedAt
  const before = performance.now()
  Object.keys(input).map((key) => key.length)
  // The description is cached: a hundred lookups cost less than listing all keys twenty times.
  expect(hundredLookupsMs).toBeLessThan(20 * Math.max(1, performance.now() - before))
})
