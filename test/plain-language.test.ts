// Finds sentences in comments, test names and documents that start without their subject or hide it.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

/** Patterns of sentences that are hard to read, each with an example that it finds. */
const HARD: readonly (readonly [RegExp, string])[] = [
  [/^(?:What|Of|Who|Whoever|Whose|Nobody|None)\b(?!.*\?)/, 'What is known of a server'],
  [/\b(?:whoever|whatever|whichever|whose|whereof|thereof)\b/i, 'a tool whose name is unknown'],
  [/\b(?:nobody|no one|none of (?:it|them|those))\b/i, 'nobody reads it'],
  [/\b(?:says so|said so|is said|are said|knows of|hears of)\b/i, 'the log says so'],
  [/\b(?:weighs more|has yet to|is to be)\b/i, 'the last rule weighs more'],
]

const root = fileURLToPath(new URL('..', import.meta.url))
const DOCUMENTS = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...filesIn('docs', '.md')]
/** Decisions are history: their words stay as they were. */
const documents = DOCUMENTS.filter((path) => !path.startsWith('docs/decisions/'))
const code = ['src', 'inspector', 'test', 'bench', 'examples', 'scripts'].flatMap((folder) =>
  filesIn(folder, '.ts', '.tsx', '.mjs'),
)

describe('plain language', () => {
  it.each(HARD)('the pattern %s finds its example', (pattern, example) => {
    expect(pattern.test(example)).toBe(true)
  })

  it('no document matches a pattern of sentences that are hard to read', () => {
    expect(documents.length).toBeGreaterThan(20)
    expect(documents.flatMap((path) => hardLines(path, documentLines))).toEqual([])
  })

  it('no comment and no test name matches a pattern of sentences that are hard to read', () => {
    expect(code.length).toBeGreaterThan(500)
    expect(code.flatMap((path) => hardLines(path, commentLines))).toEqual([])
  })
})

type Lines = readonly { readonly number: number; readonly text: string }[]

function hardLines(path: string, linesOf: (text: string) => Lines): readonly string[] {
  // This file has the examples.
  if (path === 'test/plain-language.test.ts') return []
  return linesOf(readFileSync(join(root, path), 'utf8'))
    .map(({ number, text }) => ({ number, text: text.replace(/`[^`]*`/g, '`x`').trim() }))
    .filter(({ text }) => HARD.some(([pattern]) => pattern.test(text)))
    .map(({ number, text }) => `${path}:${number}: ${text}`)
}

function documentLines(text: string): Lines {
  return text.split('\n').map((line, index) => ({ number: index + 1, text: line.replace(/^[|#>*\s-]+/, '') }))
}

function commentLines(text: string): Lines {
  return text.split('\n').flatMap((line, index) => {
    const comment = /^\s*(?:\/\/|\/\*\*?|\*)\s?(.*?)(?:\*\/)?$/.exec(line) ?? /\s\/\/ (.*)$/.exec(line)
    const name = /\b(?:it|describe)(?:\.\w+(?:\([^)]*\))?)?\(\s*['"`](.*?)['"`],/.exec(line)
    return [comment?.[1], name?.[1]].flatMap((found) => (found ? [{ number: index + 1, text: found }] : []))
  })
}

function filesIn(folder: string, ...endings: readonly string[]): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !path.includes('node_modules/'))
}
