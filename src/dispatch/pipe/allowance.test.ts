import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { success } from '../../core/result.ts'
import { invocationOf } from '../batch.fixture.ts'
import { createJsonSize } from './allowance.ts'
import { type PipeResult, runPipe } from './pipe.ts'

async function pipe(request: unknown, invocation = invocationOf()): Promise<PipeResult> {
  const result = await runPipe(request, invocation)
  if (!('steps' in result)) throw new Error(result.error.message)
  return result
}

const give = (value: unknown, rest: object = {}) => ({ command: 'give', input: { value }, ...rest })
const statuses = ({ steps }: PipeResult) => steps.map(({ status, error }) => error?.code ?? status)

describe('the allowance of a pipe', () => {
  const MIB = 1024 * 1024
  const LIMIT = '8388608 bytes'

  it('fails at the step that exceeds the limit, names the step and the limit, and runs nothing after it', async () => {
    const invocation = invocationOf()
    const step = { command: 'echo', input: { body: ['$prev', '$prev'] } }
    const request = { steps: [{ command: 'echo', input: { body: 'x' } }, ...Array.from({ length: 30 }, () => step)] }
    const result = await pipe(request, invocation)
    const failed = result.steps.findIndex(({ status }) => status === 'failure')
    expect(result.error).toMatchObject({ code: 'VALIDATION_ERROR', details: { step: failed } })
    expect(result.error?.message).toContain(`'steps[${failed}].input'`)
    expect(result.error?.message).toContain(LIMIT)
    expect(result.error?.message).toContain("'afd-pipe'")
    expect(invocation.calls).toHaveLength(failed)
    expect(result.steps.slice(failed + 1).every(({ status }) => status === 'skipped')).toBe(true)
  })

  it('fails before the input is built when a large value is referenced very often', async () => {
    const invocation = invocationOf()
    const value = Array.from({ length: 200_000 }, () => '$input')
    const result = await pipe({ input: { text: 'x'.repeat(500_000) }, steps: [give(value)] }, invocation)
    expect(statuses(result)).toEqual(['VALIDATION_ERROR'])
    expect(invocation.calls).toEqual([])
  })

  it('counts the references of all steps together', async () => {
    const input = { text: 'x'.repeat(MIB) }
    const sink = { sink: async () => success('taken') }
    const steps = Array.from({ length: 20 }, () => ({ command: 'sink', input: { body: '$input' } }))
    const result = await pipe({ input, steps }, invocationOf(sink))
    expect(result.metadata.completedSteps).toBe(7)
    expect(result.steps[7]?.error?.code).toBe('VALIDATION_ERROR')
  })

  it('counts neither the literal text of the request nor values that a condition need not compare in full', async () => {
    const input = Array.from({ length: 10 }, () => 'x'.repeat(MIB))
    const when = { $and: [{ $exists: '$input' }, { $ne: ['$input', null] }, { $ne: ['$input', ['y']] }] }
    const result = await pipe({ input, steps: [give('$input[0]', { when }), give('x'.repeat(10 * MIB), { when })] })
    expect(statuses(result)).toEqual(['success', 'success'])
  })

  it.each([
    ['long texts', 'x'.repeat(MIB)],
    ['long lists', Array.from({ length: 100_000 }, (_, n) => n)],
    ['many keys', Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, n]))],
    ['many objects', Array.from({ length: 100_000 }, () => [])],
  ])('fails when a condition compares %s too often', async (_what, a) => {
    const when = { $or: Array.from({ length: 100 }, () => ({ $ne: ['$input.a', '$input.b'] })) }
    const result = await pipe({ input: { a, b: JSON.parse(JSON.stringify(a)) }, steps: [give(1, { when })] })
    expect(result.error).toMatchObject({ code: 'VALIDATION_ERROR', details: { step: 0 } })
    expect(result.error?.message).toContain("'steps[0].when'")
    expect(result.error?.message).toContain(LIMIT)
  })

  it('takes nothing from the allowance for $exists, however large the object is', async () => {
    const input = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, n]))
    const when = { $or: Array.from({ length: 20_000 }, (_, n) => ({ $exists: `$input.x${n}` })) }
    expect(statuses(await pipe({ input, steps: [give(1, { when })] }))).toEqual(['skipped'])
  })

  it('fails at the step with the result that exceeds the size limit, and keeps the earlier results', async () => {
    const large = { large: async () => success('x'.repeat(12 * MIB)) }
    const result = await pipe(
      { steps: [give(1), ...Array.from({ length: 4 }, () => ({ command: 'large' }))] },
      invocationOf(large),
    )
    expect(statuses(result)).toEqual(['success', 'success', 'success', 'INVALID_RESULT', 'STEP_SKIPPED'])
    expect(result.error?.message).toContain(String(32 * MIB))
    expect(result.error).toMatchObject({ details: { step: 3 } })
  })
})

const LIMIT = 1_000_000

describe('the size of a value as JSON', () => {
  it('gives the byte length of JSON.stringify for any value', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withNullPrototype: true, maxDepth: 4 }), (value) => {
        const written = JSON.stringify([value])
        expect(createJsonSize(LIMIT)([value])).toBe(Buffer.byteLength(written))
      }),
    )
  })

  it('gives the same size when asked again, even for a nested value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const sizeOf = createJsonSize(LIMIT)
        const pair = [value, { again: value }]
        expect(sizeOf(pair)).toBe(Buffer.byteLength(JSON.stringify(pair)))
        expect(sizeOf(pair)).toBe(Buffer.byteLength(JSON.stringify(pair)))
        expect(sizeOf(value)).toBe(Buffer.byteLength(JSON.stringify(value)))
      }),
    )
  })

  it('counts the result of toJSON, and null when toJSON throws', () => {
    const sizeOf = createJsonSize(LIMIT)
    const when = new Date(0)
    expect(sizeOf({ when })).toBe(JSON.stringify({ when }).length)
    const broken = { toJSON: () => raise() }
    expect(sizeOf([broken])).toBe(6)
  })

  it('gives an exact size up to the limit and Infinity beyond it', () => {
    const sizeOf = createJsonSize(10)
    expect(sizeOf('12345678')).toBe(10)
    expect(sizeOf('123456789')).toBe(Number.POSITIVE_INFINITY)
    expect(sizeOf([1, 2, 3, 40])).toBe(10)
    expect(sizeOf([1, 2, 3, 400])).toBe(Number.POSITIVE_INFINITY)
    expect(sizeOf({ a: '1234567' })).toBe(Number.POSITIVE_INFINITY)
  })

  it('gives an exact size for a small value inside one that exceeds the limit', () => {
    const sizeOf = createJsonSize(20)
    const small = { a: 1 }
    expect(sizeOf(['x'.repeat(15), small])).toBe(Number.POSITIVE_INFINITY)
    expect(sizeOf(small)).toBe(7)
  })

  it('gives Infinity for a circular value', () => {
    const ring: unknown[] = [1]
    ring.push({ ring })
    expect(createJsonSize(LIMIT)(ring)).toBe(Number.POSITIVE_INFINITY)
  })

  it('gives Infinity quickly for lists that each contain the same list twice, a hundred levels deep', () => {
    const sizeOf = createJsonSize(LIMIT)
    let value: unknown = 'x'
    for (let level = 0; level < 100; level++) value = [value, value]
    expect(sizeOf(value)).toBe(Number.POSITIVE_INFINITY)
  })

  it('gives Infinity for a value nested too deeply, but an exact size for the value inside it', () => {
    const sizeOf = createJsonSize(LIMIT)
    const inside: unknown = JSON.parse(`${'['.repeat(9_000)}${']'.repeat(9_000)}`)
    let value = inside
    for (let level = 0; level < 200_000; level++) value = [value]
    expect(sizeOf(value)).toBe(Number.POSITIVE_INFINITY)
    expect(sizeOf(inside)).toBe(18_000)
    expect(sizeOf([[inside]])).toBe(18_004)
  })

  it('gives Infinity for an object with a toJSON that returns the object again', () => {
    const again = { toJSON: () => [again] }
    expect(createJsonSize(LIMIT)(again)).toBe(Number.POSITIVE_INFINITY)
  })
})

function raise(): never {
  throw new Error('not today')
}
