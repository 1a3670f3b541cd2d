import { expect, it } from 'vitest'
import { typedWith } from './other-configs.ts'

it.each([
  [['disable', 'files'], 'toolcrib disable files --config ~/b.json'],
  [['--config', 'a.json', 'tools', 'my files'], "toolcrib tools 'my files' --config ~/b.json"],
  [['tools', 'files', '--config=a.json'], 'toolcrib tools files --config ~/b.json'],
  [['search', '--text', 'a -- b'], "toolcrib search --text 'a -- b' --config ~/b.json"],
  [['execute', 'files', 'read', '--', '-x'], 'toolcrib execute files read --config ~/b.json -- -x'],
])('%j is repeated with the other config', (words, expected) => {
  expect(typedWith('~/b.json', words)).toBe(expected)
})
