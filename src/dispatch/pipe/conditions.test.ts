import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAllowance } from './allowance.ts'
import { conditionProblem, evaluate } from './conditions.ts'
import type { EarlierStep, PipeScope } from './references.ts'

const earlier: readonly EarlierStep[] = [
  { command: 'off', status: 'skipped' },
  { command: 'bad', status: 'failure' },
  { command: 'get', status: 'success', data: { n: 5, status: 'open', none: null, tags: ['a', { b: 1 }] } },
]
const scope: PipeScope = {
  earlier,
  input: { n: 5 },
  allowance: createAllowance(Number.POSITIVE_INFINITY),
  aliases: new Map([
    ['off', 0],
    ['bad', 1],
  ]),
}

describe('evaluate', () => {
  it.each([
    [{ $exists: '$prev.n' }, true],
    [{ $exists: '$prev.none' }, true],
    [{ $exists: '$prev.nosuch.deep' }, false],
    [{ $exists: '$off' }, false],
    [{ $exists: '$bad.x' }, false],
    [{ $eq: ['$prev.status', 'open'] }, true],
    [{ $eq: ['$prev.status', 'shut'] }, false],
    [{ $eq: ['$prev.tags', ['a', { b: 1 }]] }, true],
    [{ $eq: ['$prev.tags', ['a', { b: '$input.n' }]] }, false],
    [{ $eq: ['$prev.n', '$input.n'] }, true],
    [{ $eq: ['$prev.n', '5'] }, false],
    [{ $eq: ['$$prev', '$$prev'] }, true],
    [{ $eq: [{ a: 1 }, { a: 1, b: 2 }] }, false],
    [{ $eq: [{ a: 1 }, { b: 1 }] }, false],
    [{ $eq: [[], {}] }, false],
    [{ $eq: [null, {}] }, false],
    [{ $ne: ['$prev.status', 'shut'] }, true],
    [{ $ne: ['$prev.none', null] }, false],
    [{ $gt: ['$prev.n', 4] }, true],
    [{ $gt: ['$prev.n', 5] }, false],
    [{ $gte: ['$prev.n', 5] }, true],
    [{ $lt: ['$prev.n', 6] }, true],
    [{ $lt: ['$prev.n', 5] }, false],
    [{ $lte: ['$prev.n', 5] }, true],
    [{ $gt: ['b', 'a'] }, true],
    [{ $lte: ['b', 'a'] }, false],
    [{ $gt: ['$prev.n', '4'] }, false],
    [{ $lt: ['$prev.n', '9'] }, false],
    [{ $gte: [null, null] }, false],
    [{ $gte: [true, false] }, false],
    [{ $and: [{ $exists: '$prev' }, { $gt: ['$prev.n', 1] }] }, true],
    [{ $and: [{ $exists: '$prev' }, { $gt: ['$prev.n', 9] }] }, false],
    [{ $or: [{ $exists: '$off' }, { $gt: ['$prev.n', 1] }] }, true],
    [{ $or: [{ $exists: '$off' }, { $gt: ['$prev.n', 9] }] }, false],
    [{ $not: { $exists: '$off' } }, true],
    [{ $not: { $or: [{ $not: { $exists: '$off' } }, { $exists: '$bad' }] } }, false],
  ])('evaluates %j to %s', (condition, verdict) => {
    expect(conditionProblem(condition)).toBeUndefined()
    expect(evaluate(condition, scope)).toBe(verdict)
  })

  it('stops evaluating $and and $or early, so that $exists can guard the conditions after it', () => {
    const guarded = { $eq: ['$prev.nosuch', 1] }
    expect(evaluate({ $and: [{ $exists: '$prev.nosuch' }, guarded] }, scope)).toBe(false)
    expect(evaluate({ $or: [{ $exists: '$prev.n' }, guarded] }, scope)).toBe(true)
  })

  it.each([
    [{ $ne: ['$prev.nosuch', 1] }, '$prev.nosuch'],
    [{ $eq: [1, '$bad.x'] }, '$bad.x'],
    [{ $not: { $and: [{ $or: [{ $gt: ['$prev.nosuch', 1] }] }] } }, '$prev.nosuch'],
  ])('cannot decide a condition that refers to a missing value: %j', (condition, reference) => {
    expect(evaluate(condition, scope)).toMatchObject({ reference, isSkipped: false })
  })

  it('treats the output of a skipped step as undefined', () => {
    expect(evaluate({ $eq: ['$off.status', 'open'] }, scope)).toBe(false)
    expect(evaluate({ $ne: ['$off.status', 'open'] }, scope)).toBe(true)
    expect(evaluate({ $gt: ['$off.n', 1] }, scope)).toBe(false)
  })

  it('compares a date as its ISO text', () => {
    const data = { at: new Date('2026-01-02T00:00:00Z') }
    const dated = { ...scope, earlier: [{ command: 'get', status: 'success' as const, data }] }
    expect(evaluate({ $eq: ['$prev.at', '2026-01-02T00:00:00.000Z'] }, dated)).toBe(true)
    expect(evaluate({ $gt: ['$prev.at', '2026-01-01'] }, dated)).toBe(true)
  })

  it('compares objects with a toJSON, such as a URL, by the JSON that the caller receives', () => {
    const given = { ...scope, input: { left: new URL('http://a/'), right: new URL('http://b/') } }
    expect(evaluate({ $eq: ['$input.left', '$input.right'] }, given)).toBe(false)
    expect(evaluate({ $eq: ['$input.left', 'http://a/'] }, given)).toBe(true)
  })

  it('compares deep and circular data', () => {
    const ring = (): unknown => {
      const one: { next?: unknown } = {}
      one.next = [one]
      return one
    }
    const deep = () => JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    const pair = (left: unknown, right: unknown) => ({ ...scope, input: { left, right } })
    const same = { $eq: ['$input.left', '$input.right'] }
    expect(evaluate(same, pair(ring(), ring()))).toBe(true)
    expect(evaluate(same, pair(ring(), { next: [{}] }))).toBe(false)
    expect(evaluate(same, pair(deep(), deep()))).toBe(true)
  })

  it.each([
    ['$eq', 'x'.repeat(100)],
    ['$ne', 'x'.repeat(100)],
    ['$gt', 'x'.repeat(100)],
    ['$eq', Array.from({ length: 100 }, (_, n) => n)],
    ['$eq', Array.from({ length: 10 }, () => ({}))],
  ])('cannot decide %s when it exceeds the allowance', (operator, data) => {
    const given = (maxBytes: number) => ({
      ...scope,
      allowance: createAllowance(maxBytes),
      input: { left: data, right: structuredClone(data) },
    })
    const condition = { $not: { $and: [{ [operator]: ['$input.left', '$input.right'] }] } }
    expect(evaluate(condition, given(1_000))).toBeTypeOf('boolean')
    expect(evaluate(condition, given(50))).toBe('too-much')
  })

  it('takes at most 50 bytes from the allowance for data that it does not have to compare', () => {
    const data = Array.from({ length: 1_000 }, (_, n) => n)
    const given = { ...scope, allowance: createAllowance(50), input: { data, other: { data } } }
    expect(evaluate({ $eq: ['$input.data', '$input.data'] }, given)).toBe(true)
    expect(evaluate({ $eq: ['$input.data', 'text'] }, given)).toBe(false)
    expect(evaluate({ $eq: ['$input.data', [1, 2]] }, given)).toBe(false)
    expect(evaluate({ $gt: ['$input.data', 5] }, given)).toBe(false)
  })

  it('treats a value as equal to its copy, and as different from any value with other JSON', () => {
    const sorted = (value: unknown): string =>
      JSON.stringify(value, (_key, one) =>
        typeof one === 'object' && one !== null && !Array.isArray(one)
          ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
          : one,
      )
    const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)))
    fc.assert(
      fc.property(json, json, (left, right) => {
        const given = { ...scope, input: { left, copy: structuredClone(left), right } }
        expect(evaluate({ $eq: ['$input.left', '$input.copy'] }, given)).toBe(true)
        expect(evaluate({ $eq: ['$input.left', '$input.right'] }, given)).toBe(sorted(left) === sorted(right))
      }),
    )
  })
})

describe('conditionProblem', () => {
  it.each([
    ['$prev.ok', 'expected a condition'],
    [true, 'expected a condition'],
    [null, 'expected a condition'],
    [[{ $exists: '$prev' }], 'expected a condition'],
    [{}, 'has no operator'],
    [{ $exists: '$prev', $not: {} }, 'has 2 operators side by side'],
    [{ $regex: ['a', 'b'] }, "unknown operator '$regex'"],
    [{ toString: ['a', 'b'] }, "unknown operator 'toString'"],
    [{ $exists: 'prev' }, '$exists takes one reference'],
    [{ $exists: ['$prev'] }, '$exists takes one reference'],
    [{ $eq: '$prev' }, '$eq takes a list of two values'],
    [{ $eq: ['$prev'] }, '$eq takes a list of two values'],
    [{ $gt: [1, 2, 3] }, '$gt takes a list of two values'],
    [{ $and: { $exists: '$prev' } }, '$and takes a list of conditions'],
    [{ $or: [] }, '$or takes a list of conditions'],
    [{ $not: [] }, 'expected a condition'],
    [{ $and: [{ $exists: '$prev' }, { $not: { $or: [{ $like: [1, 2] }] } }] }, "unknown operator '$like'"],
  ])('refuses the malformed condition %j', (condition, problem) => {
    expect(conditionProblem(condition)).toContain(problem)
  })
})
