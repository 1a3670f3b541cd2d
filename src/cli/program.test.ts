import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readEnvironment } from './environment.ts'
import { createProgram, withDefaultCommand } from './program.ts'

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

it('docs/cli.md has every command, and every option of those that serve the gateway or the example', async () => {
  const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')
  const { commands } = await createProgram(readEnvironment())
  const names = commands.map((command) => command.name()).filter((name) => name !== 'complete')
  expect(names.filter((name) => !new RegExp(`^(?:\\| .*\`|toolcrib )${name}[ \`]`, 'm').test(page))).toEqual([])
  const options = commands
    .filter((command) => ['serve', 'example'].includes(command.name()))
    .flatMap((command) => command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? ''))
  expect(options.filter((option) => !page.includes(option))).toEqual([])
})
