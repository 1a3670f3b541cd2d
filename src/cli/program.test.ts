import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readEnvironment } from '../setup/environment.ts'
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
  [['--json', 'list'], true, ['list', '--json']],
  [['--json', 'list'], false, ['list', '--json']],
  [
    ['-q', '--config', 'x.json', 'search', 'a', '--limit', '2'],
    false,
    ['search', '-q', '--config', 'x.json', 'a', '--limit', '2'],
  ],
  [['--config=x.json', '--verbose', 'list'], true, ['list', '--config=x.json', '--verbose']],
  [['--config', 'list'], true, ['status', '--config', 'list']],
  [['--config', 'list', 'list'], true, ['list', '--config', 'list']],
  [['--json', 'config', 'show'], true, ['config', 'show', '--json']],
  [['--json', 'config'], true, ['config', '--json']],
  [['--quiet', 'wrap', '--http', '--', 'node', 'x'], true, ['wrap', '--quiet', '--http', '--', 'node', 'x']],
  [['--json', 'lst'], true, ['lst', '--json']],
  [['--http', '--json'], true, ['serve', '--http', '--json']],
])('%j on a terminal (%s) means %j', (words, isTerminal, expected) => {
  expect(withDefaultCommand(words, isTerminal)).toEqual(expected)
})

it('documents every command in docs/cli.md, and every option of `serve` and `example`', async () => {
  const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')
  const { commands } = await createProgram(readEnvironment())
  const names = commands.map((command) => command.name()).filter((name) => name !== 'complete')
  expect(names.filter((name) => !new RegExp(`^(?:\\| .*\`|toolcrib )${name}[ \`]`, 'm').test(page))).toEqual([])
  const options = commands
    .filter((command) => ['serve', 'example'].includes(command.name()))
    .flatMap((command) => command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? ''))
  expect(options.filter((option) => !page.includes(option))).toEqual([])
})
