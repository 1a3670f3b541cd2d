// Finds the command lines of `toolcrib` in the documents, and checks that the program has their commands and options.

import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { createProgram } from '../../src/cli/program.ts'
import { readEnvironment } from '../../src/setup/environment.ts'
import { blocks, documents } from './blocks.ts'

interface CommandLine {
  /** The file and the line at which the block starts. For a command line outside of blocks, only the file. */
  readonly at: string
  /** The words after `toolcrib`. */
  readonly words: readonly string[]
}

export function commandLinesInBlocks(): readonly CommandLine[] {
  return blocks
    .filter(({ language, unchecked }) => ['', 'sh', 'console'].includes(language) && unchecked === undefined)
    .flatMap(({ at, text }) => text.split('\n').map((line) => ({ at, line })))
    .filter(({ line }) => /^\s*(?:\$ )?(?:npx (?:-y )?)?toolcrib(?: |$)/.test(line))
    .map(({ at, line }) => ({ at, words: wordsOf(line) }))
}

/** The command lines between backticks. */
export function commandLinesInText(): readonly CommandLine[] {
  return documents().flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/`((?:npx (?:-y )?)?toolcrib [^`\n]+)`/g)].map(([, line = '']) => ({
      at: file,
      words: wordsOf(line),
    })),
  )
}

/** Returns the problem of a command line, or undefined if the program has its command and all its options. */
export async function problemOfLine(words: readonly string[]): Promise<string | undefined> {
  const [first = ''] = words
  // Without a command, `toolcrib` is `status` or `serve`.
  const named = first === '' || first.startsWith('-') ? 'serve' : first
  // A placeholder such as COMMAND or <command> is not checked.
  if (/^[A-Z<[]/.test(named)) return undefined
  const program = await programOf(named)
  let command = program.commands.find((one) => one.name() === named)
  if (command === undefined) return `there is no command '${named}'`
  let rest = first === named ? words.slice(1) : words
  if (command.commands.length > 0 && rest[0] !== undefined && !/^[-<[A-Z]/.test(rest[0])) {
    const [name] = rest
    const choices = name.split('|').map((one) => one.replace('\\', ''))
    const parent: Command = command
    const found = choices.map((choice) => parent.commands.find((one) => one.name() === choice))
    if (found.includes(undefined)) return `there is no command '${named} ${name}'`
    command = found[0] ?? command
    rest = rest.slice(1)
  }
  // Words after `--` are the command line of another program.
  const end = rest.indexOf('--')
  const options = (end < 0 ? rest : rest.slice(0, end)).filter((word) => /^--?[a-z]/i.test(word))
  const known = [program, command].flatMap((one) => one.options.flatMap(({ long, short }) => [long, short]))
  const wrong = options
    .map((option) => option.replace(/=.*/, ''))
    .find(
      (option) =>
        !known.includes(option) && !['--help', '-h', '--version'].includes(option) && !isNegation(option, known),
    )
  return wrong === undefined ? undefined : `there is no option '${wrong}'`
}

/** Returns true for an option that turns a switch off, such as `--no-invoke` for `--invoke`. */
function isNegation(option: string, known: readonly (string | null | undefined)[]): boolean {
  return option.startsWith('--no-') && known.includes(option.replace('--no-', '--'))
}

const programs = new Map<string, Promise<Command>>()

/** The program loads the options of a command only if it is created for that command. */
function programOf(name: string): Promise<Command> {
  const made = programs.get(name) ?? createProgram(readEnvironment(), name)
  programs.set(name, made)
  return made
}

/** The words after `toolcrib`, split at spaces outside of quotes, up to a comment or an operator of the shell. */
function wordsOf(line: string): readonly string[] {
  const words = [...line.matchAll(/"[^"]*"|'[^']*'|[^\s"']+(?:'[^']*'|"[^"]*")?/g)].map(([word]) => word)
  const start = words.indexOf('toolcrib') + 1
  const end = words.findIndex(
    (word, at) => at >= start && (word.startsWith('#') || ['|', '&&', '||', '>', '<', '&'].includes(word)),
  )
  return (
    words
      .slice(start, end < 0 ? undefined : end)
      .map((word) => word.replace(/^["']|["']$/g, ''))
      // The documents write optional words as `[--http]`, and further ones as `…`.
      .map((word) => word.replace(/^\[(.*?)\]?$/, '$1').replace(/\]$/, ''))
      .filter((word) => word !== '' && !/^(?:…|\.\.\.|\|)$/.test(word))
  )
}
