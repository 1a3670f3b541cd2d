// The output of each command with real servers: for people and as JSON, in a pipe and on a terminal.

import { stripVTControlCharacters } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { createProgram } from '../../../src/cli/program.ts'
import { readEnvironment } from '../../../src/setup/environment.ts'
import { answer, type CommandCase, commandCases, normal, prepared, useGoldenHome, withFlags } from './commands.ts'
import { covers, hasTerminal, type Ran, runOnTerminal } from './harness.ts'

const ESCAPE = '\u001b'
const home = useGoldenHome()
const program = await createProgram(readEnvironment())

it('there is a golden case for every command', () => {
  covers('CLI-GOLDEN')
  const names = program.commands.flatMap((command) =>
    command.commands.length === 0
      ? [command.name()]
      : command.commands.map((child) => `${command.name()} ${child.name()}`),
  )
  expect(commandCases.map(({ name }) => name).sort()).toEqual(names.sort())
})

describe.each(commandCases)('$name', (one) => {
  const { name, words, until, logs = /^$/ } = one
  const stem = `./golden/${name.replace(' ', '-')}`
  const exit = until === undefined ? 0 : 130
  const json = withFlags(words, ['--json', '--verbose'])
  let answers: Answers

  beforeAll(async () => {
    const [plain, forced, document, quiet] = await Promise.all([
      answer(home, one, words),
      answer(home, one, words, { FORCE_COLOR: '1' }),
      answer(home, one, json),
      answer(home, one, withFlags(words, ['--quiet'])),
    ])
    answers = { plain, forced, document, quiet }
  })

  it(`${name} prints the golden text without colours in a pipe, and the same text with FORCE_COLOR`, async () => {
    covers('CLI-GOLDEN', 'CLI-COLOR-PIPE', 'CLI-FORCE-COLOR', 'CLI-STDERR')
    const { plain, forced } = answers
    expect(plain.stdout + plain.stderr).not.toContain(ESCAPE)
    expect(plain).toMatchObject({ code: exit, stderr: expect.stringMatching(logs) })
    await expect(table(plain.stdout)).toMatchFileSnapshot(`${stem}.txt`)
    expect(table(stripVTControlCharacters(forced.stdout))).toBe(table(plain.stdout))
  })

  it(`${name} prints one JSON document of the golden shape and nothing else, even with --verbose`, async () => {
    covers('CLI-JSON', 'CLI-VERBOSE')
    const { stdout, code } = answers.document
    expect(code).toBe(exit)
    const shape = JSON.stringify(shapeOf(JSON.parse(stdout)), null, 2)
    await expect(`${shape}\n`).toMatchFileSnapshot(`${stem}.shape.txt`)
  })

  it(`${name} prints no more text with --quiet than without it`, async () => {
    covers('CLI-QUIET')
    const { quiet, plain } = answers
    expect(quiet).toMatchObject({ code: exit, stderr: '' })
    expect(quiet.stdout.length).toBeLessThanOrEqual(plain.stdout.length)
  })

  it.skipIf(!hasTerminal || until !== undefined)(
    `${name} prints the same text on a terminal, wrapped at its width`,
    async () => {
      covers('CLI-NO-COLOR', 'CLI-WIDTH', 'CLI-PROGRESS')
      const [plain, document] = await Promise.all([
        onTerminal(one, words, { NO_COLOR: '1' }),
        onTerminal(one, json, {}),
      ])
      expect(plain).not.toContain(ESCAPE)
      expect(flowing(plain)).toBe(flowing(answers.plain.stdout))
      expect(plain.split('\n').filter(isTooLong)).toEqual([])
      expect(shapeOf(JSON.parse(document))).toEqual(shapeOf(JSON.parse(answers.document.stdout)))
    },
  )
})

interface Answers {
  readonly plain: Ran
  readonly forced: Ran
  readonly document: Ran
  readonly quiet: Ran
}

async function onTerminal(one: CommandCase, given: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { name } = one
  const { stdout, code } = await runOnTerminal(home, await prepared(home, one, given), { env })
  expect(`${name} ${code}`).toBe(`${name} 0`)
  // Removes the progress line, which is erased when it changes.
  return stdout
    .split(`\r${ESCAPE}[2K`)
    .filter((_, at, parts) => at === 0 || at === parts.length - 1)
    .join('')
}

/** Collapses the gaps between table columns, because numbers of different length move them. Keeps lines of JSON. */
function table(text: string): string {
  return normal(text, home)
    .split('\n')
    .map((line) => (/^[-+ ] /.test(line) && /["{}[\]]/.test(line) ? line : line.replace(/(?<=\S) {2,}(?=\S)/g, '  ')))
    .join('\n')
}

/** The text with single spaces, so that texts are equal wherever their lines are wrapped. */
function flowing(text: string): string {
  return normal(text, home).replace(/\s+/g, ' ')
}

/** Whether a long line should have been wrapped; lines of files and scripts are never wrapped. */
function isTooLong(line: string): boolean {
  return line.length > 80 && /\S\s+\S/.test(line.trim().slice(2)) && !/^[-+ ] |^\s*(?:\S+=|npx |IFS)/.test(line)
}

/** The keys and types of a value; for a list, those of its first item. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]))
}
