// The doc comments that an editor shows for the public names and their fields: each has one, and the examples compile.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

interface PublicName {
  readonly name: string
  readonly isType: boolean
  /** The doc comment without its stars. Empty if there is none. */
  readonly comment: string
}

const root = fileURLToPath(new URL('..', import.meta.url))
const ENTRIES = { toolcrib: 'dist/index.d.ts', 'toolcrib/testing': 'dist/testing.d.ts' } as const
type Entry = keyof typeof ENTRIES
const namesOf: Readonly<Record<Entry, readonly PublicName[]>> = {
  toolcrib: publicNames(ENTRIES.toolcrib),
  'toolcrib/testing': publicNames(ENTRIES['toolcrib/testing']),
}

describe.each([
  ['toolcrib', 101, 21],
  ['toolcrib/testing', 10, 5],
] as const)('the doc comments of %s', (entry, minNames, minValues) => {
  const names = namesOf[entry]
  const values = names.filter(({ isType }) => !isType)

  it('every public name has a doc comment', () => {
    expect(names.length).toBeGreaterThanOrEqual(minNames)
    expect(names.filter(({ comment }) => comment === '').map(({ name }) => name)).toEqual([])
  })

  it('every public function and class has an example', () => {
    expect(values.length).toBeGreaterThanOrEqual(minValues)
    expect(values.filter(({ comment }) => examplesIn(comment).length === 0).map(({ name }) => name)).toEqual([])
  })

  it('each example uses the name that it explains', () => {
    const wrong = values.filter(({ name, comment }) =>
      examplesIn(comment).some((code) => !new RegExp(`\\b${name}\\b`).test(code)),
    )
    expect(wrong.map(({ name }) => name)).toEqual([])
  })

  it('every example compiles', () => {
    const examples = names.flatMap(({ name, comment }) => examplesIn(comment).map((code) => ({ name, code })))
    expect(compile(examples, entry)).toBe('')
  })
})

/** Interfaces with fields that another document explains. */
const EXPLAINED_ELSEWHERE: Readonly<Record<string, string>> = {
  StandardProperties: 'Standard Schema defines the fields',
  StandardIssue: 'Standard Schema defines the fields',
  JsonSchemaConverter: 'Standard Schema defines the fields',
  ConverterOptions: 'Standard Schema defines the fields',
  SdkV1Server: 'the SDK defines the methods',
  StopSignal: 'the fields are those of AbortSignal',
}

describe('the declarations of the package', () => {
  // The build removes the declarations that the public names do not reach.
  const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.d.ts'),
  )

  it('every field of an interface has a doc comment, unless another document explains the interface', () => {
    const fields = files.flatMap((file) =>
      fieldsIn(readFileSync(join(root, 'dist', file), 'utf8')).map((field) => ({ ...field, file })),
    )
    expect(fields.length).toBeGreaterThan(600)
    const missing = fields.filter(({ hasComment, of }) => !hasComment && !Object.hasOwn(EXPLAINED_ELSEWHERE, of))
    const todo = missing.map(
      ({ name, of, file }) =>
        `Write a doc comment above '${name}' of '${of}' in src/${file.replace(/\.d\.ts$/, '.ts')}`,
    )
    expect(todo).toEqual([])
  })

  it('every interface that another document explains still exists', () => {
    const all = new Set(
      files.flatMap((file) => fieldsIn(readFileSync(join(root, 'dist', file), 'utf8')).map(({ of }) => of)),
    )
    expect(Object.keys(EXPLAINED_ELSEWHERE).filter((name) => !all.has(name))).toEqual([])
  })

  it('the declarations have all types that they name', () => {
    // With `skipLibCheck`, the compiler would treat an unknown type in a declaration file as `any`.
    const entries = Object.values(ENTRIES).map((path) => join(root, path))
    expect(compileIn({ compilerOptions: { skipLibCheck: false }, files: entries, include: [] })).toBe('')
  })
})

describe('the check of examples', () => {
  it('the check finds an example that does not compile', () => {
    expect(compile([{ name: 'broken', code: 'success({ id: 7 }).dat' }], 'toolcrib')).toMatch(
      /broken\.ts\(.*'dat' does not exist/,
    )
  })

  it('the check finds a doc comment only directly before its declaration', () => {
    const text =
      '/** One. */\nexport interface A {}\nexport interface B {}\n/** Three.\n * More. */\nexport declare function c(): void;\n'
    expect(['A', 'B', 'c'].map((name) => commentOf(name, text))).toEqual(['One.', '', 'Three.\nMore.'])
  })

  it('the check finds fields with and without a doc comment, but not the fields of nested objects', () => {
    const text = [
      'export interface A<T> extends B {',
      '    /** One. */',
      '    readonly one: T;',
      '    two?(given: {',
      '        readonly three: string;',
      '    }): void;',
      '    [Symbol.asyncDispose](): Promise<void>;',
      '}',
    ].join('\n')
    expect(fieldsIn(text)).toEqual([
      { of: 'A', name: 'one', hasComment: true },
      { of: 'A', name: 'two', hasComment: false },
    ])
  })
})

/** The command that examples use without a definition. */
const PRELUDE = `
const add = defineCommand({
  name: 'todo-add',
  description: 'Add a todo.',
  input: z.object({ text: z.string() }),
  handler: ({ text }) => success({ id: 1, text }),
})
`

/** The plugins that the examples of the contract suites test, with their files in examples/extending. */
const TESTED: Readonly<Record<string, string>> = {
  acme: 'importer',
  sharedWords: 'ranker',
  clock: 'source',
  findAndRun: 'strategy',
}

/** Compiles each example as a module of its own against the built package. Returns the errors, or an empty text. */
function compile(examples: readonly { readonly name: string; readonly code: string }[], entry: Entry): string {
  const modules = examples.map(({ name, code }) => {
    const body = entry === 'toolcrib' && code.includes('add') ? `${PRELUDE}${code}` : code
    const isUsed = (value: string) => new RegExp(`\\b${value}\\b`).test(body)
    const usedOf = (from: Entry) =>
      namesOf[from].flatMap(({ name: value, isType }) => (!isType && isUsed(value) ? [value] : []))
    const tested = entry === 'toolcrib' ? [] : Object.entries(TESTED).filter(([value]) => isUsed(value))
    const lines = [
      `import { ${usedOf('toolcrib').join(', ')} } from 'toolcrib'`,
      `import { ${usedOf('toolcrib/testing').join(', ')} } from 'toolcrib/testing'`,
      "import { McpServer as SdkServer } from '@modelcontextprotocol/server'",
      "import { expect } from 'vitest'",
      "import { z } from 'zod'",
      ...tested.map(([value, file]) => `import { ${value} } from '../../examples/extending/${file}.ts'`),
    ]
    return [`${name}.ts`, `${lines.join('\n')}\n${body}\nexport {}\n`] as const
  })
  return compileIn({ compilerOptions: { verbatimModuleSyntax: false }, include: ['*.ts'] }, Object.fromEntries(modules))
}

/** Compiles a folder with these files and settings. Returns the errors, or an empty text. */
function compileIn(settings: object, modules: Readonly<Record<string, string>> = {}): string {
  // Inside the project, so that 'toolcrib' and 'zod' are found.
  mkdirSync(join(root, 'build'), { recursive: true })
  const folder = mkdtempSync(join(root, 'build', 'doc-examples-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', ...settings }))
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'])
  return `${stdout}${stderr}`
}

interface Field {
  /** The name of its interface. */
  readonly of: string
  readonly name: string
  readonly hasComment: boolean
}

/** The fields of all interfaces of a declaration file. `tsc` indents them with four spaces. */
function fieldsIn(text: string): readonly Field[] {
  return [...text.matchAll(/^(?:export )?interface ([\w$]+)[^\n]*\{\n([\s\S]*?)^\}/gm)].flatMap(
    ([, of = '', body = '']) =>
      [...body.matchAll(/(\*\/\n)?^ {4}(?:readonly )?([\w$]+)\??[:(<]/gm)].map(([, comment, name = '']) => ({
        of,
        name,
        hasComment: comment !== undefined,
      })),
  )
}

function publicNames(index: string): readonly PublicName[] {
  const text = readFileSync(join(root, index), 'utf8')
  const declared = [...text.matchAll(/^export (?:declare )?(interface|type|class|function|const) (\w+)/gm)].map(
    ([, kind = '', name = '']) => ({
      name,
      isType: kind === 'interface' || kind === 'type',
      comment: commentOf(name, text),
    }),
  )
  const listed = [...text.matchAll(/^export (type )?\{([^}]*)\} from '([^']+)';$/gm)].flatMap(
    ([, all = '', list = '', from = '']) =>
      list.split(',').flatMap((entry) => {
        const name = entry.trim().replace(/^type /, '')
        const isType = all !== '' || entry.trim().startsWith('type ')
        return name === '' ? [] : [{ name, isType, comment: commentAt(name, join(root, dirname(index), from)) }]
      }),
  )
  return [...listed, ...declared]
}

/** The comment at the declaration of a name. Follows modules that export a name of another module. */
function commentAt(name: string, module: string): string {
  const file = module.replace(/\.[jt]s$/, '.d.ts')
  const text = readFileSync(file, 'utf8')
  if (declarationOf(name).test(text)) return commentOf(name, text)
  const from = new RegExp(`^(?:import|export) (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from '([^']+)';$`, 'm').exec(
    text,
  )?.[1]
  if (from === undefined) throw new Error(`${file} does not declare ${name}.`)
  return commentAt(name, join(dirname(file), from))
}

function declarationOf(name: string): RegExp {
  return new RegExp(`^export (?:declare )?(?:abstract )?(?:interface|type|class|function|const) ${name}\\b`, 'm')
}

function commentOf(name: string, text: string): string {
  const before = text.slice(0, text.search(declarationOf(name)))
  const [, comment = ''] = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n$/.exec(before) ?? []
  return comment.replace(/^ *\* ?/gm, '').trim()
}

function examplesIn(comment: string): readonly string[] {
  return [...comment.matchAll(/@example\n```ts\n([\s\S]*?)\n```/g)].map(([, code = '']) => code)
}
