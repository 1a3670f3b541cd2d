// The doc comments that an editor shows for the public names: each name has one, and the examples compile.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
const names = publicNames('dist/index.d.ts')
const values = names.filter(({ isType }) => !isType)

describe('the doc comments in dist/index.d.ts', () => {
  it('every public name has a doc comment', () => {
    expect(names.length).toBeGreaterThan(100)
    expect(names.filter(({ comment }) => comment === '').map(({ name }) => name)).toEqual([])
  })

  it('every public function and class has an example', () => {
    expect(values.length).toBeGreaterThan(20)
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
    expect(compile(examples)).toBe('')
  })
})

describe('the check of examples', () => {
  it('the check finds an example that does not compile', () => {
    expect(compile([{ name: 'broken', code: 'success({ id: 7 }).dat' }])).toMatch(/broken\.ts\(.*'dat' does not exist/)
  })

  it('the check finds a doc comment only directly before its declaration', () => {
    const text =
      '/** One. */\nexport interface A {}\nexport interface B {}\n/** Three.\n * More. */\nexport declare function c(): void;\n'
    expect(['A', 'B', 'c'].map((name) => commentOf(name, text))).toEqual(['One.', '', 'Three.\nMore.'])
  })
})

/** The values that the examples use without an introduction. */
const PRELUDE = `
const add = defineCommand({
  name: 'todo-add',
  description: 'Add a todo.',
  input: z.object({ text: z.string() }),
  handler: ({ text }) => success({ id: 1, text }),
})
`

/** Compiles each example as a module of its own against the built package. Returns the errors, or an empty text. */
function compile(examples: readonly { readonly name: string; readonly code: string }[]): string {
  // Inside the project, so that 'toolcrib' and 'zod' are found.
  mkdirSync(join(root, 'build'), { recursive: true })
  const folder = mkdtempSync(join(root, 'build', 'doc-examples-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const { name, code } of examples) {
    const body = code.includes('add') ? `${PRELUDE}${code}` : code
    const used = values.map((value) => value.name).filter((value) => new RegExp(`\\b${value}\\b`).test(body))
    const imports = [
      `import { ${used.join(', ')} } from 'toolcrib'`,
      "import { McpServer as SdkServer } from '@modelcontextprotocol/server'",
      "import { z } from 'zod'",
    ]
    writeFileSync(join(folder, `${name}.ts`), `${imports.join('\n')}\n${body}\nexport {}\n`)
  }
  const options = {
    extends: '../../tsconfig.json',
    compilerOptions: { verbatimModuleSyntax: false },
    include: ['*.ts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'])
  return `${stdout}${stderr}`
}

function publicNames(index: string): readonly PublicName[] {
  const text = readFileSync(join(root, index), 'utf8')
  return [...text.matchAll(/^export (type )?\{([^}]*)\} from '([^']+)';$/gm)].flatMap(
    ([, all = '', list = '', from = '']) =>
      list.split(',').flatMap((entry) => {
        const name = entry.trim().replace(/^type /, '')
        const isType = all !== '' || entry.trim().startsWith('type ')
        return name === '' ? [] : [{ name, isType, comment: commentAt(name, join(root, dirname(index), from)) }]
      }),
  )
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
