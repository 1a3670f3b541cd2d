import { expect, it } from 'vitest'
import { createSecretMask } from './hide-secrets.ts'

const shown = async (file: string, text: string, known: readonly string[] = []) => {
  const hide = await createSecretMask(file, [text], known)
  return text.split('\n').map(hide).join('\n')
}

it.each([
  ['a.json', String.raw`{"env": {"AWS_SECRET": "wJalr\/K7MDENG\/bPxRfi", "B": "x"}}`, 'wJalr'],
  ['a.json', String.raw`{"env": {"A_TOKEN": "abc\u0064efghijkl"}}`, 'efghijkl'],
  ['a.json', String.raw`{"env": {"A_TOKEN": "ab\u0063"}}`, 'u0063'],
  ['a.json', String.raw`{"args": ["--token", "abc\u0064efghijkl"]}`, 'efghijkl'],
  ['a.json', String.raw`{"url": "postgres:\/\/u:abc\u0064efgh@h"}`, 'efgh'],
  ['a.json', '{"A_TOKEN": "firstfirst", "A_TOKEN": "second"}', 'firstfirst'],
  ['a.json', '{ // "A_TOKEN": "in-a-comment"\n}', 'in-a-comment'],
  ['a.yaml', String.raw`A_TOKEN: "abc\x64efghijkl"`, 'efghijkl'],
  ['a.yaml', String.raw`args: ["--token", "abc\x64efghijkl"]`, 'efghijkl'],
  ['a.yaml', 'A_KEY: |\n  line-number-one\n  line-number-two\n', 'line-number'],
  ['a.yaml', 'A_TOKEN: "abcdefgh\\\n  ijklmnop"', 'ijklmnop'],
  ['a.toml', String.raw`A_TOKEN = "abc\u0064efghijkl"`, 'efghijkl'],
  ['a.toml', String.raw`args = ["--token", "abc\u0064efghijkl"]`, 'efghijkl'],
  ['a.toml', 'A_TOKEN = """abcdefgh\\\n  ijklmnop"""', 'ijklmnop'],
])('masks the secret in %s: %s', async (file, text, part) => {
  expect(text).toContain(part)
  expect(await shown(file, text)).not.toContain(part)
  expect(await shown(file, text)).toContain('***')
})

it('masks a known value that is written with escapes', async () => {
  expect(await shown('a.json', String.raw`{"x": "k\u006eown"}`, ['known'])).toBe('{"x": ***}')
})

it.each([
  ['a.json', String.raw`{"command": "C:\\tools\\x.exe", "env": {"B": "b\u0062b"}}`],
  ['a.json', `{"A_TOKEN": "\${A_TOKEN}"}`],
  ['a.json', `{"Authorization": "Bearer \${input:token}"}`],
  ['a.yaml', String.raw`command: "a\tb"`],
  ['a.toml', `command = "a\\tb"\n# it's "quoted\n`],
])('changes nothing in %s without a secret: %s', async (file, text) => {
  expect(await shown(file, text)).toBe(text)
})
