// Lists the documents of the project, and the blocks of code in them.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface CodeBlock {
  /** The file and the line at which the block starts, for messages. */
  readonly at: string
  readonly file: string
  readonly language: string
  readonly text: string
  /** The reason in `<!-- unchecked: reason -->` on the last line with text before the block. */
  readonly unchecked?: string
}

/** The Markdown files at the top of the repository, in docs/ and in examples/. */
export function documents(): readonly string[] {
  const inFolder = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name).replaceAll('\\', '/'))
  const top = readdirSync('.').filter((name) => name.endsWith('.md'))
  return [...top, ...inFolder('docs'), ...inFolder('examples')].filter((path) => path.endsWith('.md')).toSorted()
}

export function blocksIn(file: string): readonly CodeBlock[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  const blocks: CodeBlock[] = []
  for (let at = 0; at < lines.length; at++) {
    const [, indent, language] = /^( *)```(\w*)/.exec(lines[at] ?? '') ?? []
    if (indent === undefined || language === undefined) continue
    const end = lines.findIndex((line, place) => place > at && line.trim() === '```')
    if (end < 0) throw new Error(`${file}:${at + 1}: the block does not end.`)
    const before = lines.slice(0, at).findLast((line) => line.trim() !== '')
    const [, unchecked] = /^ *<!-- unchecked: (.*) -->$/.exec(before ?? '') ?? []
    const text = `${lines.slice(at + 1, end).join('\n')}\n`
    blocks.push({ at: `${file}:${at + 1}`, file, language, text, ...(unchecked === undefined ? {} : { unchecked }) })
    at = end
  }
  return blocks
}

export const blocks: readonly CodeBlock[] = documents().flatMap(blocksIn)

/** The blocks in these languages that are not marked as unchecked. */
export function blocksOf(...languages: readonly string[]): readonly CodeBlock[] {
  return blocks.filter(({ language, unchecked }) => languages.includes(language) && unchecked === undefined)
}
