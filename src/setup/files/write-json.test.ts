import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { changeJson } from './write-json.ts'

const own = { command: 'npx', args: ['-y'] }
const add = { path: ['s', 'own'], value: own, isFirst: true }
const remove = (...names: readonly string[]) => names.map((name) => ({ path: ['s', name], value: undefined }))

describe('changeJson', () => {
  it.each([
    ['a line without blanks', '{"s":{"a":1},"n":1.0}', '{"s":{"own":{"command":"npx","args":["-y"]}},"n":1.0}'],
    [
      'a line with blanks',
      '{"s": {"a": 1, "b": [ 2]}} // c',
      '{"s": {"own": {"command": "npx", "args": ["-y"]}, "b": [ 2]}} // c',
    ],
    ['a line with no entries', '{"s":{},"n":[1,  2]}', '{"s":{"own":{"command":"npx","args":["-y"]}},"n":[1,  2]}'],
    [
      'lines, with comments and commas',
      '{\r\n\t// one\r\n\t"s": { // two\r\n\t\t// about a\r\n\t\t"a": 1, // of a\r\n\t\t"b": 2,\r\n\t},\r\n\t"z": [1,2 ] // odd\r\n}',
      '{\r\n\t// one\r\n\t"s": { // two\r\n\t\t"own": {\r\n\t\t\t"command": "npx",\r\n\t\t\t"args": [\r\n\t\t\t\t"-y"\r\n\t\t\t]\r\n\t\t},\r\n\t\t// about a\r\n\t\t// of a\r\n\t\t"b": 2,\r\n\t},\r\n\t"z": [1,2 ] // odd\r\n}',
    ],
    [
      'lines with an object on one line',
      '{\n    "s": {"a": 1},\n    "t": 1\n}',
      '{\n    "s": {"own": {"command": "npx", "args": ["-y"]}},\n    "t": 1\n}',
    ],
    [
      'a text with a byte order mark',
      '\uFEFF{\n "s": {\n  "a": 1\n }\n}',
      '\uFEFF{\n "s": {\n  "own": {\n   "command": "npx",\n   "args": [\n    "-y"\n   ]\n  }\n }\n}',
    ],
    [
      'an empty text',
      ' \n',
      '{\n  "s": {\n    "own": {\n      "command": "npx",\n      "args": [\n        "-y"\n      ]\n    }\n  }\n}\n',
    ],
  ])('keeps the rest of the text unchanged in %s', async (_, text, expected) => {
    expect(await changeJson(text, [add, ...remove('a')])).toBe(expected)
  })

  it.each([
    ['{"s": {"a": 1, "b": 2, "c": 3}}', ['a', 'c'], '{"s": {"b": 2}}'],
    ['{"s": {"a": 1, "b": 2, "c": 3}}', ['b', 'c'], '{"s": {"a": 1}}'],
    ['{"s": {"a": 1, "b": 2 /* b */, }}', ['a', 'b'], '{"s": { /* b */ }}'],
    [
      '{\n  "s": {\n    "a": 1,\n    "b": 2, // b\n    "c": 3\n  }\n}',
      ['c'],
      '{\n  "s": {\n    "a": 1,\n    "b": 2 // b\n  }\n}',
    ],
    ['{\n  "s": {\n    "a": 1,\n    "b": 2\n  }\n}', ['a', 'b'], '{\n  "s": {\n  }\n}'],
  ])('removes properties from %j', async (text, names, expected) => {
    expect(await changeJson(text, remove(...names))).toBe(expected)
  })

  it('accepts keys of any name, and a file that contains only `null`', async () => {
    const text = '{"__proto__": {"a": 1}, "s": {"__proto__": 2, "a": 3}}'
    expect(await changeJson(text, [{ path: ['s', 'own'], value: 1 }, ...remove('a')])).toBe(
      '{"__proto__": {"a": 1}, "s": {"__proto__": 2, "own": 1}}',
    )
    expect(await changeJson(text, [{ path: ['__proto__', 'a'], value: undefined }])).toBe(
      '{"__proto__": {}, "s": {"__proto__": 2, "a": 3}}',
    )
    expect(await changeJson('null\n', [{ path: ['s'], value: 1 }])).toBe('{\n  "s": 1\n}\n')
  })

  it('adds new properties last, or replaces an existing value in place', async () => {
    const text = '{\n  "s": {\n    "a": 1 // a\n    /* end */\n  }\n}\n'
    expect(await changeJson(text, [{ path: ['s', 'b'], value: [2] }])).toBe(
      '{\n  "s": {\n    "a": 1, // a\n    /* end */\n    "b": [\n      2\n    ]\n  }\n}\n',
    )
    expect(await changeJson(text, [{ path: ['s', 'a'], value: { x: 2 } }])).toBe(
      text.replace('1', '{\n      "x": 2\n    }'),
    )
    expect(await changeJson('{"s":{"a":1}}', [{ path: ['t', 'u'], value: 2 }])).toBe('{"s":{"a":1},"t":{"u":2}}')
  })
})

it('returns undefined if a path leads through a value that is not an object, or if a key occurs twice', async () => {
  for (const text of ['{"s": null}', '{"s": []}', '[1]', '{"s": {"a": 1}, "s": {"b": 2}}', '{"s": {"a": 1, "a": 2}}']) {
    expect(await changeJson(text, [add, ...remove('a')])).toBeUndefined()
  }
})

it('produces the expected document on one line and with different indentations', async () => {
  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'))
  const indent = fc.constantFrom(undefined, 1, 4, '\t')
  await fc.assert(
    fc.asyncProperty(names, names, names, indent, fc.boolean(), async (there, gone, added, space, isFirst) => {
      const document = { n: [1], s: Object.fromEntries(there.map((name) => [name, { x: name }])) }
      const gained = added.filter((name) => !gone.includes(name))
      const changed = await changeJson(JSON.stringify(document, null, space), [
        ...gained.map((name) => ({ path: ['s', name], value: { y: [name] }, isFirst })),
        ...remove(...gone),
      ])
      const kept = there.filter((name) => !gone.includes(name) && !gained.includes(name))
      const expected = [...kept.map((name) => [name, { x: name }]), ...gained.map((name) => [name, { y: [name] }])]
      expect(JSON.parse(changed!)).toEqual({ n: [1], s: Object.fromEntries(expected) })
      expect(changed!.includes('\n')).toBe(space !== undefined)
    }),
  )
})

it('takes less than 40 times as long as parsing, for a long text on one line', async () => {
  const names = Array.from({ length: 800 }, (_, at) => `s${at}`)
  const history = Array.from({ length: 8_000 }, (_, at) => ({ at, text: 'x'.repeat(80) }))
  const text = JSON.stringify({ s: Object.fromEntries(names.map((name) => [name, own])), history })
  const changed = JSON.stringify({ s: { own }, history })
  const reading = await leastTime(async () => expect(parse(text)).toHaveProperty('history'))
  const changing = await leastTime(async () =>
    expect((await changeJson(text, [add, ...remove(...names)])) === changed).toBe(true),
  )
  expect(changing / reading).toBeLessThan(40)
})

/** The shortest of three runs in microseconds of processor time, because other processes may use the machine. */
async function leastTime(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < 3; count++) {
    const start = process.cpuUsage()
    await work()
    times.push(process.cpuUsage(start).user)
  }
  return Math.min(...times)
}
