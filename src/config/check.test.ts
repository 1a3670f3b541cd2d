import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { check, didYouMean } from './check.ts'

const schema = z.strictObject({
  name: z.string().min(1),
  port: z.number().int().min(1).max(65_535).default(80),
  mode: z.enum(['fast', 'safe']).default('safe'),
  env: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  pattern: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  inner: z.strictObject({ deep: z.boolean().optional() }).optional(),
  items: z.array(z.strictObject({ id: z.number() })).optional(),
  size: z.number().positive().lt(9).optional(),
})
const location = { file: 'a.json', path: ['top'] }

describe('check', () => {
  it('returns the value with its defaults and no problems if the value is valid', () => {
    expect(check(schema, { name: 'x' }, location)).toEqual({
      value: { name: 'x', port: 80, mode: 'safe', env: {} },
      problems: [],
    })
  })

  it.each([
    [{ name: 3 }, 'top.name', 'a string', 'a number'],
    [{}, 'top.name', 'a string', 'nothing'],
    [{ name: '' }, 'top.name', 'a string that is not empty', 'an empty string'],
    [{ name: 'x', port: 0 }, 'top.port', 'a number of at least 1', '0'],
    [{ name: 'x', size: 0 }, 'top.size', 'a number greater than 0', '0'],
    [{ name: 'x', size: 9 }, 'top.size', 'a number less than 9', '9'],
    [{ name: 'x', port: 1.5 }, 'top.port', 'a whole number', 'a number'],
    [{ name: 'x', port: 1e6 }, 'top.port', 'a number of at most 65535', '1000000'],
    [{ name: 'x', env: { A: [] } }, 'top.env.A', 'a string or a number', 'an empty list'],
    [{ name: 'x', env: 'A=1' }, 'top.env', 'an object', 'a string'],
    [{ name: 'x', pattern: 3 }, 'top.pattern', 'a string or a list', 'a number'],
    [{ name: 'x', pattern: ['a', 3] }, 'top.pattern[1]', 'a string', 'a number'],
    [{ name: 'x', pattern: [] }, 'top.pattern', 'a list of at least 1 item', 'an empty list'],
    [{ name: 'x', inner: { deep: 'yes' } }, 'top.inner.deep', 'true or false', 'a string'],
    [{ name: 'x', items: [{ id: 1 }, { id: '2' }] }, 'top.items[1].id', 'a number', 'a string'],
    ['text', 'top', 'an object', 'a string'],
    [null, 'top', 'an object', 'null'],
  ])('rejects %j with the location, the expected and the found value', (value, path, expected, found) => {
    const { value: kept, problems } = check(schema, value, location)
    expect(kept).toBeUndefined()
    expect(problems).toMatchObject([{ file: 'a.json', path, expected, found, severity: 'error' }])
  })

  it('shows an invalid choice together with the nearest valid one', () => {
    const { problems } = check(schema, { name: 'x', mode: 'safee' }, location)
    expect(problems[0]?.message).toBe("Expected one of 'fast', 'safe', found 'safee'. Did you mean 'safe'?")
  })

  it('drops unknown keys and reports each with the nearest known key', () => {
    const { value, problems } = check(
      schema,
      { name: 'x', prot: 1, inner: { deeep: true }, items: [{ id: 1, x: 2 }] },
      location,
    )
    expect(value).toEqual({ name: 'x', port: 80, mode: 'safe', env: {}, inner: {}, items: [{ id: 1 }] })
    expect(problems.map(({ path, message }) => [path, message])).toEqual([
      ['top.inner.deeep', "Unknown key 'deeep'. Did you mean 'deep'?"],
      ['top.items[0].x', "Unknown key 'x'"],
      ['top.prot', "Unknown key 'prot'. Did you mean 'port'?"],
    ])
  })

  it('reports unknown keys with the given severity', () => {
    expect(check(schema, { name: 'x', y: 1 }, location, { unknownKeys: 'warning' }).problems[0]?.severity).toBe(
      'warning',
    )
  })

  it('leaves invalid values out if `dropInvalid` is set', () => {
    const broken = { name: 'x', port: 'http', mode: 'quick', env: { A: [], B: 'b' }, pattern: ['a', 3], odd: 1 }
    const { value, problems } = check(schema, broken, location, { dropInvalid: true })
    expect(value).toEqual({ name: 'x', port: 80, mode: 'safe', env: { B: 'b' } })
    expect(problems.map(({ path }) => path).sort()).toEqual([
      'top.env.A',
      'top.mode',
      'top.odd',
      'top.pattern[1]',
      'top.port',
    ])
    expect(check(schema, { name: 3 }, location, { dropInvalid: true }).value).toBeUndefined()
  })

  it('does not change the given value', () => {
    const given = Object.freeze({ name: 'x', odd: 1, inner: Object.freeze({ deep: 3 }) })
    check(schema, given, location, { dropInvalid: true })
    expect(given).toEqual({ name: 'x', odd: 1, inner: { deep: 3 } })
  })
})

it('suggests the nearest name, or nothing if no name is similar', () => {
  expect(didYouMean('tsl', ['tokens', 'tls'])).toBe(". Did you mean 'tls'?")
  expect(didYouMean('serverz', ['sources', 'servers'])).toBe(". Did you mean 'servers'?")
  expect(didYouMean('xyz', ['sources', 'servers'])).toBe('')
})
