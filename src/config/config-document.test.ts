import { expect, it } from 'vitest'
import { parseConfigDocument } from './config-document.ts'

const FILE = '/etc/toolcrib.json'

it.each([
  ['a key of the document', '{"discovery": {}, "discovery": {}}', 'discovery'],
  [
    'a key of a nested object',
    '{"discovery": {"toolRules": [{"enabled": false}], "toolRules": []}}',
    'discovery.toolRules',
  ],
  ['a key of an object in a list', '{"a": [{"b": 1}, {"b": 1, "b": 2}]}', 'a[1].b'],
  ['a key that is written with an escape the second time', '{"a": 1, "\\u0061": 2}', 'a'],
  ['a key in a file with comments', '{"a": 1, // "a": 3\n "a": 2}', 'a'],
  ['a key after a byte order mark', '\uFEFF{"a": 1, "a": 2}', 'a'],
])('refuses %s that is there twice, and names its path', async (_case, text, path) => {
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
