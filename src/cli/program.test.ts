import { expect, it } from 'vitest'
import { withDefaultCommand } from './program.ts'

it.each([
  [[], true, ['status']],
  [[], false, ['serve']],
  [['--json'], false, ['status', '--json']],
  [['--http'], true, ['serve', '--http']],
  [['--listing', 'hidden'], true, ['serve', '--listing', 'hidden']],
  [['--config', 'x.json', '--quiet'], true, ['status', '--config', 'x.json', '--quiet']],
  [['--config', 'x.json'], false, ['serve', '--config', 'x.json']],
  [['--help'], true, ['--help']],
  [['list'], false, ['list']],
])('%j on a terminal (%s) means %j', (words, isTerminal, expected) => {
  expect(withDefaultCommand(words, isTerminal)).toEqual(expected)
})
