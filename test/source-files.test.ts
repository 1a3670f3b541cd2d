// Rules for the files of the repository: length, purpose line, names, unused exports, and texts that must not occur.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const MAX_LINES = 300

/** Files that may be longer, each with the reason not to split it. */
const LONGER_FOR_A_REASON: Readonly<Record<string, string>> = {
  'src/core/errors.ts': 'the one table of all error codes: a reader finds each code in one place',
}

interface SourceFile {
  readonly path: string
  readonly text: string
}

const root = fileURLToPath(new URL('..', import.meta.url))
const files = readProject()
const code = files.filter(({ path }) => /\.[cm]?[jt]sx?$/.test(path))
// The modules of the package. The limit of lines does not apply to tests and fixtures.
const modules = code.filter(({ path }) => path.startsWith('src/') && !/\.(test|fixture|contract)\.ts$/.test(path))

describe('every module in src/', () => {
  it(`every module in src/ has at most ${MAX_LINES} lines, or is an exception with a reason`, () => {
    expect(pathsWhere(modules, isTooLong).filter((path) => LONGER_FOR_A_REASON[path] === undefined)).toEqual([])
  })

  it(`a module in src/ is listed as an exception only if it has more than ${MAX_LINES} lines`, () => {
    const long = pathsWhere(modules, isTooLong)
    expect(Object.keys(LONGER_FOR_A_REASON).filter((path) => !long.includes(path))).toEqual([])
  })

  it('every module in src/ starts with one line that states its purpose', () => {
    expect(pathsWhere(modules, (text) => !startsWithPurpose(text))).toEqual([])
  })
})

describe('every exported type', () => {
  it('no two exported types in the repository have the same name', () => {
    const names = code.flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:abstract )?(?:interface|type|class) (\w+)/gm)].map(([, name]) => ({ name, path })),
    )
    expect(names.length).toBeGreaterThan(900)
    const isRepeated = ({ name, path }: (typeof names)[number]) =>
      names.some((other) => other.name === name && other.path !== path)
    expect(names.filter(isRepeated)).toEqual([])
  })
})

describe('every export in src/', () => {
  it('every export in src/ is imported by another file, unless it is public or a contract suite', () => {
    expect(exportsIn(code).length).toBeGreaterThan(1_000)
    expect(unusedExports(code)).toEqual([])
  })
})

describe('every code file', () => {
  it('every code file has a kebab-case name', () => {
    expect(code.map(({ path }) => path).filter((path) => !isKebabCase(basename(path)))).toEqual([])
  })

  it('no code file uses the type `any`', () => {
    expect(pathsWhere(code, usesAny)).toEqual([])
  })

  it('no code file contains a skipped or exclusive test', () => {
    expect(pathsWhere(code, skipsTests)).toEqual([])
  })
})

describe('every file of the repository', () => {
  it('the check finds the files of the repository', () => {
    expect(files.map(({ path }) => path)).toContain('package.json')
    expect(modules.length).toBeGreaterThan(10)
  })

  it('the check finds the files even without git or outside a repository', () => {
    expect(listWithGit({ PATH: '' })).toBeUndefined()
    expect(listWithGit({ ...process.env, GIT_DIR: join(root, 'no-such-folder') })).toBeUndefined()
    const walked = walk('', readIgnored())
    expect(walked).toEqual(expect.arrayContaining(['package.json', '.gitignore', 'src/index.ts', '.ci/run']))
    expect(walked.filter((path) => /^(node_modules|dist|build|\.git)\/|\.log$/.test(path))).toEqual([])
    // Only in this direction: a global git configuration may ignore more files.
    const missed = (listWithGit(process.env) ?? []).filter((path) => !walked.includes(path))
    expect(missed).toEqual([])
  })

  it('no file of the repository contains a note about work to be done', () => {
    expect(pathsWhere(files, notesWork)).toEqual([])
  })

  it('no file of the repository contains an absolute path of a developer machine', () => {
    expect(pathsWhere(files, namesMachine)).toEqual([])
  })

  it('no file of the repository names a package registry', () => {
    expect(pathsWhere(files, namesRegistry)).toEqual([])
  })
})

describe('the check of exports', () => {
  it('the check reports an export that only its own file uses, and counts imports of every form', () => {
    const file = (path: string, ...lines: readonly string[]) => ({ path, text: lines.join('\n') })
    const found = unusedExports([
      file(
        'src/a.ts',
        'export function one() {}',
        'export const two = one()',
        'export type Three = 3',
        'const four = 4',
      ),
      file('src/b.ts', "import { one as renamed, type Three } from './a.ts'", 'export interface Five {}'),
      file('src/whole.ts', 'export const six = 6'),
      file('src/late.ts', 'export const seven = 7', 'export const ten = 10', 'export const eleven = 11'),
      file('src/x.contract.ts', 'export const eight = 8'),
      file('src/index.ts', 'export const nine = 9', "export * from './whole.ts'"),
      file(
        'test/a.test.ts',
        "const { seven: x } = await import('../src/late.ts')",
        "(await import('../src/late.ts')).ten()",
      ),
    ])
    expect(found).toEqual(['src/a.ts two', 'src/b.ts Five', 'src/late.ts eleven'])
  })
})

describe('the checks of files', () => {
  // The forbidden words are joined from parts, so that this file does not contain them.
  const word = (...parts: string[]) => parts.join('')
  const lacksPurpose = (text: string) => !startsWithPurpose(text)
  const isMisnamed = (name: string) => !isKebabCase(name)

  it.each([
    ['a long module', isTooLong, 'x\n'.repeat(MAX_LINES + 1), 'x\n'.repeat(MAX_LINES)],
    ['a module that starts with code', lacksPurpose, 'import x\n// why', '// What it is for.\n\nimport x'],
    ['a purpose of two lines', lacksPurpose, '// One line,\n// and another.\n', '#!/usr/bin/env node\n// One line.\n'],
    ['a camel-case name', isMisnamed, 'myFile.ts', 'my-file.test.ts'],
    ['a snake-case name', isMisnamed, 'my_file.ts', 'baseline-2025-11-25.ts'],
    ['a variable of the type', usesAny, word('const x: an', 'y = 1'), "const x: unknown = 'any' // any"],
    ['a cast to the type', usesAny, word('x as an', 'y'), 'z.any()'],
    ['the type as an argument', usesAny, word('Record<string, an', 'y>'), 'expect.any(Number)'],
    ['an array of the type', usesAny, word('const x: an', 'y[] = []'), '({ any: 1 })'],
    ['a parameter of the type', usesAny, word('(x: an', 'y) => void'), '`a $' + '{b ? `if any, c` : 1}`'],
    ['a test that is left out', skipsTests, word('it.sk', 'ip("x")'), 'it.skipIf(x)("y")'],
    ['a test that runs alone', skipsTests, word('describe.on', 'ly("x")'), 'this.only("x")'],
    ['a note of work', notesWork, word('// TO', 'DO: later'), 'const todo = 1'],
    ['a note of repair', notesWork, word('FIX', 'ME'), 'PREFIX MENU'],
    ['a home folder on Linux', namesMachine, word('"/ho', 'me/alice/code"'), 'src/home/index.ts'],
    ['a home folder on macOS', namesMachine, word('/Us', 'ers/alice/code'), 'GET /users/7'],
    ['a home folder on Windows', namesMachine, word('C:\\Us', 'ers\\alice'), '~/code'],
    ['the address of a registry', namesRegistry, word('https://regis', 'try.example.org/zod'), 'registry.list.map(x)'],
    ['a download address', namesRegistry, word('"resol', 'ved": "https://x.example/zod.tgz"'), '"version": "1.0.0"'],
  ])('the checks catch %s, and ignore text that only looks like it', (_, check, bad, good) => {
    expect(check(bad)).toBe(true)
    expect(check(good)).toBe(false)
  })
})

function isTooLong(text: string): boolean {
  return text.trimEnd().split('\n').length > MAX_LINES
}

function startsWithPurpose(text: string): boolean {
  const [first = '', second = ''] = text.replace(/^#!.*\n/, '').split('\n')
  return /^\/\/ \S/.test(first) && !second.startsWith('//')
}

function isKebabCase(name: string): boolean {
  return /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(name)
}

// Only matches at the position of a type, because the word is common in prose and nested templates are not removed.
function usesAny(text: string): boolean {
  const bare = text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|`(?:\\[\s\S]|[^`\\])*`|(['"])(?:\\.|(?!\1)[^\\\n])*\1/g, '')
  return /(?:[:<|&,]|\bas|\bextends|=>)\s*any\s*(?:[[\])>,;|&={}]|$)/m.test(bare)
}

function skipsTests(text: string): boolean {
  return /\b(?:it|test|describe|suite)\.(?:skip|only|todo)\b/.test(text)
}

function notesWork(text: string): boolean {
  return /\b(?:TO(?:DO)|FIX(?:ME))\b/.test(text)
}

function namesMachine(text: string): boolean {
  return /(?<![\w.~$})*-])\/(?:home|Users|root|work|workspace)\/[\w.-]|\b[A-Z]:\\+Users\\/.test(text)
}

function namesRegistry(text: string): boolean {
  const isHost =
    /\b(?:registry|npm|artifactory|nexus|verdaccio)\.[\w.-]*\b(?:org|com|net|io|dev|cloud|internal|local)\b/
  return isHost.test(text) || /"resolved"\s*:/.test(text)
}

const PUBLIC = new Set(['src/index.ts', 'src/testing.ts'])

function exportsIn(among: readonly SourceFile[]): { readonly path: string; readonly name: string }[] {
  const declared = /^export (?:abstract |async )*(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm
  return among
    .filter(({ path }) => path.startsWith('src/') && !PUBLIC.has(path) && !/\.(test|contract)\.ts$/.test(path))
    .flatMap(({ path, text }) => [...text.matchAll(declared)].map(([, name = '']) => ({ path, name })))
}

function unusedExports(among: readonly SourceFile[]): string[] {
  const used = new Set<string>()
  for (const { path, text } of among) {
    const note = (from: string, name: string) => used.add(`${posix.join(posix.dirname(path), from)} ${name}`)
    const named = [
      ...text.matchAll(/(?:import|export)(?: type)? \{([^}]*)\} from '(\.[^']+)'/g),
      ...text.matchAll(/\{([^{}]*)\} = await import\(\s*'(\.[^']+)'/g),
    ]
    for (const [, names = '', from = ''] of named)
      for (const name of names.split(',')) note(from, name.trim().replace(/^type | as .*$|:.*$/g, ''))
    for (const [, from = '', name = ''] of text.matchAll(/\(await import\(\s*'(\.[^']+)',?\s*\)\)\.(\w+)/g))
      note(from, name)
    // Any export of a module that is imported as a whole may be used.
    for (const [, from = ''] of text.matchAll(/(?:\*(?: as \w+)? from |(?<!await )\bimport\(\s*)'(\.[^']+)'/g))
      note(from, '*')
    for (const [, from = ''] of text.matchAll(/(?<![}=] = |\()await import\(\s*'(\.[^']+)'/g)) note(from, '*')
  }
  return exportsIn(among)
    .filter(({ path, name }) => !used.has(`${path} ${name}`) && !used.has(`${path} *`))
    .map(({ path, name }) => `${path} ${name}`)
}

function pathsWhere(among: readonly SourceFile[], isWrong: (text: string) => boolean): string[] {
  return among.filter(({ text }) => isWrong(text)).map(({ path }) => path)
}

function readProject(): SourceFile[] {
  const paths = listWithGit(process.env) ?? walk('', readIgnored())
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** Includes new files that are not in git yet, so that a fault is found before the commit. */
function listWithGit(env: NodeJS.ProcessEnv): string[] | undefined {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  try {
    const listed = execFileSync('git', args, { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] })
    const paths = [...new Set(listed.toString().split('\0'))]
    return paths.filter((path) => path !== '' && existsSync(join(root, path)))
  } catch {
    return undefined
  }
}

/** Lists the same files without git: a tarball is not a repository, and a small image may not have git. */
function walk(folder: string, isIgnored: (name: string) => boolean): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (isIgnored(entry.name)) return []
    const path = posix.join(folder, entry.name)
    return entry.isDirectory() ? walk(path, isIgnored) : [path]
  })
}

/** Reads .gitignore, which contains only whole names and `*.suffix` patterns. */
function readIgnored(): (name: string) => boolean {
  const lines = readFileSync(join(root, '.gitignore'), 'utf8').split('\n')
  const patterns = ['.git', ...lines.map((line) => line.trim().replace(/\/$/, ''))].filter(Boolean)
  return (name) =>
    patterns.some((pattern) => (pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : name === pattern))
}
