import { expect, it } from 'vitest'
import { clientWriters } from '../config/write-client.ts'
import { clientNames } from './client-names.ts'
import { withDefaultCommand } from './program.ts'

it.each([
  [[], true, ['status']],
  [[], false, ['serve']],
  [['--json'], false, ['status', '--json']],
  [['--http'], true, ['serve', '--http']],
  [['--config', 'x.json'], false, ['serve', '--config', 'x.json']],
  [['--help'], true, ['--help']],
  [['list'], false, ['list']],
])('%j on a terminal (%s) means %j', (words, isTerminal, expected) => {
  expect(withDefaultCommand(words, isTerminal)).toEqual(expected)
})

it('completes the clients that there are', () => {
  expect([...clientNames].sort()).toEqual([...clientWriters.keys()].sort())
})
