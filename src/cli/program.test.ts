import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Argument } from 'commander'
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
    ['search', 'a', '-q', '--config', 'x.json', '--limit', '2'],
  ],
  [['--config=x.json', '--verbose', 'list'], true, ['list', '--config=x.json', '--verbose']],
  [['--config', 'list'], true, ['status', '--config', 'list']],
  [['--config', 'list', 'list'], true, ['list', '--config', 'list']],
  [['--json', 'config', 'show'], true, ['config', 'show', '--json']],
  [['--json', 'config'], true, ['config', '--json']],
  [['--quiet', 'wrap', '--http', '--', 'node', 'x'], true, ['wrap', '--quiet', '--http', '--', 'node', 'x']],
  [['--json', 'add', 'a', '--', 'b', '-q'], true, ['add', 'a', '--json', '--', 'b', '-q']],
  [['--json', 'lst'], true, ['lst', '--json']],
  [['--http', '--json'], true, ['serve', '--http', '--json']],
])('the command line %j (on a terminal: %s) means %j', (words, isTerminal, expected) => {
  expect(withDefaultCommand(words, isTerminal)).toEqual(expected)
})

it('src/cli/commands has one file or folder for each command, and no other', async () => {
  const { commands } = await createProgram(readEnvironment())
  const entries = readdirSync(new URL('./commands', import.meta.url)).map((name) => name.replace(/\.ts$/, ''))
  expect(entries.toSorted()).toEqual(commands.map((command) => command.name()).toSorted())
})

it('the help of the program has each command in a group of its own, also `help`', async () => {
  const help = (await createProgram(readEnvironment())).helpInformation()
  expect(help).toMatch(/^Shell:\n {2}completion .*\n(?: {3}.*\n)* {2}help +Show the help of a command\.$/m)
  expect(help).not.toMatch(/^Commands:/m)
})

const PAGE = new URL('../../docs/cli.md', import.meta.url)
const MARKS = ['<!-- commands: made by src/cli/program.test.ts -->', '<!-- end of commands -->'] as const

it('docs/cli.md lists all commands and their options, made from their definitions', async () => {
  const page = readFileSync(PAGE, 'utf8')
  const [before = '', rest = ''] = page.split(MARKS[0])
  const [, after = ''] = rest.split(MARKS[1])
  const expected = [before, MARKS[0], '\n\n', await commandTable(), '\n', MARKS[1], after].join('')
  // UPDATE_DOCS=1 npx vitest run src/cli/program.test.ts
  if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, expected)
  expect(page).toBe(expected)
})

async function commandTable(): Promise<string> {
  const environment = readEnvironment()
  const names = (await createProgram(environment)).commands.map((command) => command.name())
  // A program for one named command has all options of that command.
  const programs = await Promise.all(names.map((name) => createProgram(environment, name)))
  const commands = programs
    .flatMap((program) => program.commands)
    .filter((command) => command.name() !== 'complete')
    .flatMap((command) => [command, ...command.commands])
  const rows = commands.map((command) => {
    const parent = command.parent?.name() === 'toolcrib' ? '' : `${command.parent?.name()} `
    const words = [`${parent}${command.name()}`, ...command.registeredArguments.map(usageOf)].join(' ')
    const options = command.options
      .filter(({ hidden, long }) => !hidden && !COMMON_OPTIONS.includes(long ?? ''))
      .map(({ flags }) => `\`${flags}\``)
    return `| \`${words}\` | ${command.description()} | ${options.join(', ')} |`
  })
  return ['| command | what it does | options |', '|---|---|---|', ...rows, ''].join('\n')
}

const COMMON_OPTIONS = ['--json', '--quiet', '--verbose', '--config']

function usageOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}
