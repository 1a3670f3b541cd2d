// Checks the blocks of code in the documents by their language: code compiles, data can be parsed, command lines exist.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ParseError, parse } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseAllDocuments } from 'yaml'
import * as library from '../../src/index.ts'
import { blocks, blocksOf, type CodeBlock } from './blocks.ts'
import { commandLinesInBlocks, commandLinesInText, problemOfLine } from './command-lines.ts'

/** In blocks without a language, and in those of a shell, only the command lines are checked. */
const CHECKED = ['', 'console', 'js', 'json', 'jsonc', 'sh', 'toml', 'ts', 'yaml']

// A block opts out with `<!-- unchecked: reason -->` on the last line with text before it.
describe('the blocks of code in the documents', () => {
  it('a block of code in a language that no test checks is plain text, a file of examples/deploy, or opts out', () => {
    const others = blocks.filter(
      ({ language, unchecked }) => ![...CHECKED, 'text'].includes(language) && unchecked === undefined,
    )
    const files = readdirSync('examples/deploy', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    expect(others.length).toBeGreaterThan(3)
    expect(others.filter(({ text }) => !files.includes(text)).map(({ at }) => at)).toEqual([])
  })

  it('a block of code opts out of the check only with a reason', () => {
    const without = blocks.filter(({ unchecked }) => unchecked !== undefined && unchecked.split(' ').length < 4)
    expect(without.map(({ at }) => at)).toEqual([])
  })

  it('every block in TypeScript or JavaScript compiles against the built package', () => {
    const code = blocksOf('ts', 'js')
    expect(code.length).toBeGreaterThan(15)
    expect(compile(code)).toBe('')
  })

  it('a block that does not compile is found', () => {
    const text = "import { success } from 'toolcrib'\nsuccess({ id: 7 }).dat\n"
    expect(compile([{ at: 'page.md:1', file: 'page.md', language: 'ts', text }])).toMatch(/'dat' does not exist/)
  })

  it('the documents have blocks in JSON, TOML and YAML', () => {
    expect(['json', 'jsonc', 'toml', 'yaml'].filter((language) => blocksOf(language).length === 0)).toEqual([])
  })

  it.each(blocksOf('json').map(({ at, text }) => [at, text]))('%s is JSON without comments', (_at, text = '') => {
    expect(() => JSON.parse(text)).not.toThrow()
  })

  it.each(blocksOf('jsonc').map(({ at, text }) => [at, text]))(
    '%s is JSON, with or without comments',
    (_at, text = '') => {
      const errors: ParseError[] = []
      parse(text, errors, { allowTrailingComma: true })
      expect(errors).toEqual([])
    },
  )

  it.each(blocksOf('toml').map(({ at, text }) => [at, text]))('%s is TOML', (_at, text = '') => {
    expect(() => parseToml(text)).not.toThrow()
  })

  it.each(blocksOf('yaml').map(({ at, text }) => [at, text]))('%s is YAML', (_at, text = '') => {
    expect(parseAllDocuments(text).flatMap(({ errors }) => errors)).toEqual([])
  })
})

describe('the command lines in the documents', () => {
  const inBlocks = commandLinesInBlocks()
  const inText = commandLinesInText()

  it('command lines are found in blocks and in the text', () => {
    expect(inBlocks.length).toBeGreaterThan(50)
    expect(inText.length).toBeGreaterThan(50)
  })

  it('every command line names commands and options that the program has', async () => {
    const problems: string[] = []
    for (const { at, words } of [...inBlocks, ...inText]) {
      const problem = await problemOfLine(words)
      if (problem !== undefined) problems.push(`${at}: toolcrib ${words.join(' ')}: ${problem}`)
    }
    expect(problems).toEqual([])
  })

  it('a wrong command or option is found, and the options after `--` are not checked', async () => {
    expect(await problemOfLine(['sreve'])).toMatch(/no command/)
    expect(await problemOfLine(['serve', '--htpp'])).toMatch(/no option/)
    expect(await problemOfLine(['token', 'ad', 'x'])).toMatch(/no command/)
    expect(await problemOfLine(['wrap', '--strategy', 'lazy', '--', 'node', '--no-such-option'])).toBeUndefined()
  })

  it('every `npm run` in a block of code names a script that the project has', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
    const named = blocks.flatMap(({ at, text }) =>
      [...text.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => ({ at, name })),
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter(({ name }) => !(name in scripts))).toEqual([])
  })
})

/**
 * Declares the names that every block may use without a definition or an import: the values of the examples in
 * docs/commands.md, and the public names of the package.
 */
function globals(): string {
  const commands = `
type Add = import('toolcrib').Command<'todo-add', { text: string }, { id: number; text: string }>
type Get = import('toolcrib').Command<'todo-get', { id: number }, { id: number; text: string }>
declare const add: Add, get: Get, another: import('toolcrib').Command, anotherCommand: import('toolcrib').Command
declare const commands: import('toolcrib').Command[], registry: import('toolcrib').CommandRegistry
declare const middleware: import('toolcrib').Middleware[], name: string, version: string
declare const z: typeof import('zod').z, type: typeof import('arktype').type, v: typeof import('valibot')
declare const toStandardJsonSchema: typeof import('@valibot/to-json-schema').toStandardJsonSchema`
  const names = Object.keys(library).map((name) => `declare const ${name}: typeof import('toolcrib').${name}`)
  return [commands, ...names].join('\n')
}

/** Compiles each block as a module of its own. Returns the errors, or an empty text. */
function compile(code: readonly CodeBlock[]): string {
  // Inside the project, so that 'toolcrib' and 'zod' are found.
  mkdirSync('build', { recursive: true })
  const folder = mkdtempSync(join('build', 'doc-blocks-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // The tests on the pages of docs/extending import the example of their page.
  for (const name of ['importer', 'ranker', 'source', 'store', 'strategy']) {
    cpSync(`examples/extending/${name}.ts`, join(folder, `${name}.ts`))
  }
  writeFileSync(join(folder, 'globals.d.ts'), globals())
  for (const { at, language, text } of code) {
    const name = at.replaceAll(/[^\w]+/g, '-')
    writeFileSync(join(folder, `${name}.${language}`), `${text}\nexport {}\n`)
  }
  const options = {
    extends: '../../tsconfig.json',
    compilerOptions: {
      allowJs: true,
      checkJs: true,
      noImplicitAny: false,
      allowUnusedLabels: true,
      exactOptionalPropertyTypes: false,
      verbatimModuleSyntax: false,
    },
    include: ['*'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  const compiler = join('node_modules', 'typescript', 'bin', 'tsc')
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'])
  return `${stdout}${stderr}`
}
