import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Format, formatOf, parseConfigDocument, parseDocument } from './document.ts'
import { renderProblem } from './problem.ts'

const SECRET = 'ghp_marker'

describe('parseDocument', () => {
  it.each<[Format, string, unknown]>([
    ['json', '{"a": [1, "two"]}', { a: [1, 'two'] }],
    ['json', '\uFEFF{"a": 1}', { a: 1 }],
    ['json', '// why\n{"a": 1, /* here */ "b": [1, 2,],}', { a: 1, b: [1, 2] }],
    ['yaml', 'a:\n  - 1\n  - two\n', { a: [1, 'two'] }],
    ['yaml', 'base: &b {x: 1}\na: {<<: *b, y: 2}\n', { base: { x: 1 }, a: { x: 1, y: 2 } }],
    ['toml', 'a = 1\n[b.c]\nd = ["e"]\n', { a: 1, b: { c: { d: ['e'] } } }],
    ['json', `{\n${' '.repeat(600)}"a": 1, // deep indentation\n}`, { a: 1 }],
  ])('parses a document in %s: %j', async (format, text, value) => {
    expect(await parseDocument(text, format, 'f')).toEqual({ ok: true, value })
  })

  it.each<[Format, string]>([
    ['json', ''],
    ['json', ' null\n'],
    ['yaml', '# nothing yet\n'],
    ['toml', ' \n'],
    ['json', '// nothing yet\n/* and here */ '],
    ['toml', '# nothing yet\n'],
  ])('returns an empty object with `isEmpty` for a document in %s without content: %j', async (format, text) => {
    expect(await parseDocument(text, format, 'f')).toEqual({ ok: true, value: {}, isEmpty: true })
  })

  it.each<[Format, string, number, number]>([
    ['json', `{\n  "token": "${SECRET}"\n  "b": 1\n}`, 3, 3],
    ['json', `{"token": "${SECRET}`, 1, 11],
    ['json', '{"a": 1}}', 1, 9],
    ['yaml', `a: 1\nb: "${SECRET}\nc: 2\n`, 4, 1],
    ['yaml', `token: ${SECRET}\ntoken: x\n`, 2, 1],
    ['yaml', `a: |${SECRET}\n x\n`, 1, 5],
    ['toml', `a = 1\ntoken = "${SECRET}\n`, 2, 20],
    ['toml', `token = "${SECRET}"\ntoken = "x"\n`, 2, 1],
  ])('reports line and column of a syntax error in %s and quotes no text: %j', async (format, text, line, column) => {
    const result = await parseDocument(text, format, 'f.cfg')
    if (result.ok) throw new Error('it was read')
    expect(result.problem).toMatchObject({ file: 'f.cfg', severity: 'error', line, column })
    expect(renderProblem(result.problem)).not.toContain(SECRET)
  })

  it.each([
    ['a = "x\nb = 1', 'a string without its closing quote'],
    ["a = 'x\r\nb = 1", 'a string without its closing quote'],
    ['a = "\u0001"', 'control character in a string'],
    ['a = 1\na = 2', 'duplicate key or table'],
    ['[a]\n[a]', 'duplicate key or table'],
    ['a = { b = 1, b = 2 }', 'duplicate key'],
    ['a = x', 'invalid value; a text needs quotes'],
    ['a = "x" y', 'line end expected after a value'],
    ['a = [1', 'comma or closing bracket expected'],
    ['[a\n', "'=' or closing bracket expected after a key"],
  ])('names the syntax error of the TOML text %j', async (text, found) => {
    expect(await parseDocument(text, 'toml', 'f')).toMatchObject({ ok: false, problem: { found } })
  })

  it.each<Format>(['json', 'yaml', 'toml'])('returns a result for any text in %s and never throws', async (format) => {
    const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'{}[]:"\'#=,-\n &*!|a1') }), fc.json())
    await fc.assert(
      fc.asyncProperty(text, async (given) => {
        const result = await parseDocument(given, format, 'f')
        expect(result.ok || result.problem.severity === 'error').toBe(true)
      }),
    )
    const deep = ['['.repeat(200_000), '{"a":'.repeat(100_000), '- '.repeat(100_000), `${' '.repeat(5_000)}a: 1`]
    for (const hostile of [...deep, 'a: &a [*a, *a]\n', 'a: *gone']) {
      expect((await parseDocument(hostile, format, 'f')).ok).toBeTypeOf('boolean')
    }
  })
})

it.each([
  ['a/config.JSON', 'json'],
  ['a/config.jsonc', 'json'],
  ['a/config.yml', 'yaml'],
  ['config.toml', 'toml'],
  ['config.ts', undefined],
])('formatOf(%s) is %s', (path, format) => {
  expect(formatOf(path)).toBe(format)
})

const FILE = '/etc/toolcrib.json'

it.each([
  ['in the document', '{"discovery": {}, "discovery": {}}', 'discovery'],
  ['in a nested object', '{"discovery": {"toolRules": [{"enabled": false}], "toolRules": []}}', 'discovery.toolRules'],
  ['in an object in a list', '{"a": [{"b": 1}, {"b": 1, "b": 2}]}', 'a[1].b'],
  ['written with an escape the second time', '{"a": 1, "\\u0061": 2}', 'a'],
  ['in a file with comments', '{"a": 1, // "a": 3\n "a": 2}', 'a'],
  ['after a quotation mark in a comment', '{ // 5" disks\n"a": 1,\n/* 3" */ "a": 2}', 'a'],
  ['after a byte order mark', '\uFEFF{"a": 1, "a": 2}', 'a'],
])('refuses a duplicate key %s, and reports its path', async (_case, text, path) => {
  const document = await parseConfigDocument(text, 'json', FILE)
  expect(document).toMatchObject({ ok: false, problem: { file: FILE, path, found: 'two equal keys' } })
})

it.each([
  ['equal keys of different objects', '{"a": {"c": 1}, "b": {"c": 1}}'],
  ['colons and quotes in texts', String.raw`{"a": "x:\"y\":\\", "b:": [":"]}`],
  ['comments with colons', '{"a": 1 /* b: 2, "a": 3 */}'],
  ['an empty object and an empty list', '{"a": {}, "b": []}'],
])('accepts %s', async (_case, text) => {
  expect(await parseConfigDocument(text, 'json', FILE)).toMatchObject({ ok: true })
})

it.each([
  ['yaml', 'a: 1\na: 2\n'],
  ['toml', 'a = 1\na = 2\n'],
] as const)('refuses equal keys in %s', async (format, text) => {
  expect(await parseConfigDocument(text, format, FILE)).toMatchObject({ ok: false })
})
