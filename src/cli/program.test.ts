import { readFileSync, writeFileSync } from 'node:fs'
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
])('the words %j (on a terminal: %s) mean %j', (words, isTerminal, expected) => {
  expect(withDefaultCommand(words, isTerminal)).toEqual(expected)
})

it('takes the options of all commands before each command with subcommands', async () => {
  const { commands } = await createProgram(readEnvironment())
  const outer = commands.flatMap((command) => (command.commands.length > 0 ? [command.name()] : []))
  expect(outer).toContain('config')
  for (const name of outer) {
    expect(withDefaultCommand(['--json', name, 'list'], true)).toEqual([name, 'list', '--json'])
  }
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
  // Only a named command has all its options.
  const programs = await Promise.all(names.map((name) => createProgram(environment, name)))
  const commands = programs
    .flatMap((program) => program.commands)
    .filter((command) => command.name() !== 'complete')
    .flatMap((command) => [command, ...command.commands])
  const rows = commands.map((command) => {
    const parent = command.parent?.name() === 'toolcrib' ? '' : `${command.parent?.name()} `
    const words = [`${parent}${command.name()}`, ...command.registeredArguments.map(usageOf)].join(' ')
    const options = command.options
      .filter(({ hidden, long }) => !hidden && !OF_EVERY_COMMAND.includes(long ?? ''))
      .map(({ flags }) => `\`${flags}\``)
    return `| \`${words}\` | ${command.description()} | ${options.join(', ')} |`
  })
  return ['| command | what it does | options |', '|---|---|---|', ...rows, ''].join('\n')
}

const OF_EVERY_COMMAND = ['--json', '--quiet', '--verbose', '--config']

function usageOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}
