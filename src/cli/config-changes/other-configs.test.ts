import { expect, it } from 'vitest'
import { typedWith } from './other-configs.ts'

it.each([
  [['disable', 'files'], 'toolcrib disable files --config ~/b.json'],
  [['--config', 'a.json', 'tools', 'my files'], "toolcrib tools 'my files' --config ~/b.json"],
  [['tools', 'files', '--config=a.json'], 'toolcrib tools files --config ~/b.json'],
  [['search', '--text', 'a -- b'], "toolcrib search --text 'a -- b' --config ~/b.json"],
  [['token', 'list', '--', '-x'], 'toolcrib token list --config ~/b.json -- -x'],
])('%j is repeated with the other config', (words, expected) => {
  expect(typedWith('~/b.json', words, { server: 'files' })).toBe(expected)
})

it.each([
  [['execute', 'my files', 'read'], "toolcrib execute 'my files' read --config ~/b.json"],
  [['execute', 'my files:read', 'token=1'], "toolcrib execute 'my files:read' ... --config ~/b.json"],
  [['execute', 'my files', 'read', '--', 'x=-1'], "toolcrib execute 'my files' read ... --config ~/b.json"],
  [
    ['--config=a.json', 'execute', '--args', '{"a":1}', 'my files', 'read', '--config', 'c.json', '--json'],
    "toolcrib execute 'my files' read ... --config ~/b.json",
  ],
])('%j is repeated without the arguments of the call', (words, expected) => {
  expect(typedWith('~/b.json', words, { server: 'my files', tool: 'read' })).toBe(expected)
})
