// The imports in src/ go from a folder only to folders that come earlier in the order, and have no cycles.

import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ORDER = 'core storage config sources catalog rules search disclosure dispatch crib front setup cli'.split(' ')

/** The text of each file, by its path below src/. */
type Files = ReadonlyMap<string, string>

describe('imports in src/', () => {
  const files = readSources()

  it('the parser finds the imports in src/', () => {
    expect(files.size).toBeGreaterThan(10)
    expect(importsOf('index.ts', files)).toContain('core/result.ts')
    expect(importsOf('sources/commands/define.ts', files)).toContain('core/errors.ts')
  })

  it('imports only go to folders that come earlier in the order', () => {
    expect(findWrongWay(files)).toEqual([])
  })

  it('imports point to files of src/ that exist, or, in tests only, to files outside src/', () => {
    expect(findStrays(files)).toEqual([])
  })

  it('imports do not form a cycle', () => {
    expect(findCycles(files)).toEqual([])
  })

  it('imports between two folders go in one direction, except in tests, fixtures and contract suites', () => {
    expect(findMutual(files)).toEqual([])
  })
})

describe('the check of imports', () => {
  it('the check reports an import of a file in a later folder, even if only types are imported', () => {
    const files = new Map([
      ['core/tool.ts', "import type { Catalog } from '../catalog/catalog.ts'"],
      ['catalog/catalog.ts', "import { type Rule } from '../rules/rule.ts'"],
      ['rules/rule.ts', "import { a } from '../core/tool.ts'"],
    ])
    expect(findWrongWay(files)).toEqual([
      'core/tool.ts imports catalog/catalog.ts',
      'catalog/catalog.ts imports rules/rule.ts',
    ])
  })

  it('the check allows index.ts to import any file, and reports a folder that imports index.ts', () => {
    const files = new Map([
      ['index.ts', "export { run } from './cli/run.ts'\nexport * from './core/tool.ts'"],
      ['cli/run.ts', "import { tool } from '../index.ts'"],
      ['core/tool.ts', ''],
    ])
    expect(findWrongWay(files)).toEqual(['cli/run.ts imports index.ts'])
  })

  it('the check reports a folder that is missing in the order', () => {
    const files = new Map([
      ['utils/text.ts', ''],
      ['core/tool.ts', "import '../utils/text.ts'"],
    ])
    expect(findWrongWay(files)).toEqual(['utils/text.ts is in an unknown folder', 'core/tool.ts imports utils/text.ts'])
  })

  it('the check reports a cycle with the files along it', () => {
    const files = new Map([
      ['core/a.ts', "import { b } from './b.ts'"],
      ['core/b.ts', "import { c } from './deep/c.ts'"],
      ['core/deep/c.ts', "export type { A } from '../a.ts'"],
      ['core/d.ts', "import './a.ts'"],
    ])
    expect(findCycles(files)).toEqual(['core/a.ts -> core/b.ts -> core/deep/c.ts -> core/a.ts'])
  })

  it('the check reports two folders that import from each other, and ignores tests', () => {
    const files = new Map([
      ['core/a.ts', "import './deep/b.ts'"],
      ['core/deep/b.ts', ''],
      ['core/deep/c.ts', "import '../d.ts'"],
      ['core/d.ts', ''],
      ['rules/e.ts', "import '../core/d.ts'"],
      ['core/d.test.ts', "import '../rules/e.ts'"],
    ])
    expect(findMutual(files)).toEqual(['core and core/deep import from each other'])
  })

  it('the check reports a file that imports itself', () => {
    expect(findCycles(new Map([['core/a.ts', "import './a.ts'"]]))).toEqual(['core/a.ts -> core/a.ts'])
  })

  it('the check reports an import of a file that does not exist, and an import that leaves src/ outside a test', () => {
    const files = new Map([
      ['core/a.ts', "import './gone.ts'\nimport '../../test/fixture.ts'"],
      ['core/a.test.ts', "import '../../test/fixture.ts'"],
    ])
    expect(findStrays(files)).toEqual(['core/a.ts imports core/gone.ts', 'core/a.ts imports ../test/fixture.ts'])
  })

  it('the check reads every form of import and ignores text that only looks like one', () => {
    const text = [
      "import './1.ts'",
      "import two from './2.ts'",
      'import {',
      '  three,',
      '} from "./3.ts"',
      "import type { Four } from './4.ts'",
      "export * from './5.ts'",
      "export { six } from './6.ts'",
      "const seven = await import('./7.ts')",
      "type Eight = import('./8.ts').Eight",
      "import { readFile } from 'node:fs'",
      "// import './no.ts'",
      "/* import './no.ts' */",
      'const shown = `import "./no.ts"`',
      'const quoted = "import \'./no.ts\'"',
      "const glob = 'src/**/*.ts' // from './no.ts'",
    ].join('\n')
    const found = importsOf('core/x.ts', new Map([['core/x.ts', text]]))
    expect(found).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((n) => `core/${n}.ts`))
  })
})

function findWrongWay(files: Files): string[] {
  const strangers = [...files.keys()].filter((file) => file.includes('/') && !ORDER.includes(folderOf(file)))
  const wrong = edgesOf(files).filter(([from, to]) => {
    if (to.startsWith('../') || folderOf(from) === folderOf(to)) return false
    return rankOf(from) < rankOf(to)
  })
  return [...strangers.map((file) => `${file} is in an unknown folder`), ...wrong.map(edgeText)]
}

function findStrays(files: Files): string[] {
  const allowed = ([from, to]: Edge) => files.has(to) || (from.endsWith('.test.ts') && to.startsWith('../'))
  return edgesOf(files)
    .filter((edge) => !allowed(edge))
    .map(edgeText)
}

function findCycles(files: Files): string[] {
  const cycles: string[] = []
  const done = new Set<string>()
  const visit = (file: string, way: readonly string[]) => {
    const seenAt = way.indexOf(file)
    if (seenAt >= 0) cycles.push([...way.slice(seenAt), file].join(' -> '))
    if (seenAt >= 0 || done.has(file)) return
    for (const target of importsOf(file, files)) visit(target, [...way, file])
    done.add(file)
  }
  for (const file of files.keys()) visit(file, [])
  return cycles
}

function findMutual(files: Files): string[] {
  const product = edgesOf(files).filter(([from]) => !/\.(test|fixture|contract)\.ts$/.test(from))
  const between = new Set(product.map(([from, to]) => `${posix.dirname(from)} ${posix.dirname(to)}`))
  const isMutual = ([from = '', to = '']: readonly string[]) => from < to && between.has(`${to} ${from}`)
  return [...between]
    .map((pair) => pair.split(' '))
    .filter(isMutual)
    .map((pair) => `${pair.join(' and ')} import from each other`)
}

type Edge = readonly [from: string, to: string]

function edgesOf(files: Files): Edge[] {
  return [...files.keys()].flatMap((from) => importsOf(from, files).map((to): Edge => [from, to]))
}

function edgeText([from, to]: Edge): string {
  return `${from} imports ${to}`
}

function folderOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : ''
}

// Files directly in src/ (index.ts) and unknown folders come after all other folders.
function rankOf(file: string): number {
  const rank = ORDER.indexOf(folderOf(file))
  return rank < 0 ? ORDER.length : rank
}

// Comments, templates and plain strings are matched first, so an import inside one of them is ignored. Regular
// expressions are not recognised: one with a single backtick would hide the text up to the next backtick.
const TOKENS =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|`(?:\\[\s\S]|[^`\\])*`|(\b(?:from|import)\s*|\bimport\s*\(\s*)?(['"])((?:\\.|(?!\2)[^\\\n])*)\2/g

/** The files that a file imports by relative path, as paths below src/. */
function importsOf(file: string, files: Files): string[] {
  const text = files.get(file) ?? ''
  return [...text.matchAll(TOKENS)]
    .filter(([, keyword, , specifier]) => keyword !== undefined && specifier?.startsWith('.'))
    .map(([, , , specifier = '']) => posix.join(posix.dirname(file), specifier))
}

function readSources(): Files {
  const root = fileURLToPath(new URL('../src/', import.meta.url))
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  return new Map(paths.toSorted().map((path) => [path.replaceAll('\\', '/'), readFileSync(join(root, path), 'utf8')]))
}
