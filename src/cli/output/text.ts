// Formats text for people: safe for a terminal, wrapped at words, indented, in columns and tables.

import { stripVTControlCharacters } from 'node:util'
import { cleanText, escapeInJson } from '../../core/clean-text.ts'
import type { Range } from '../../core/parameters/schema-form.ts'
import { groupDigits } from '../../core/text.ts'

/**
 * Removes escape sequences and invisible characters, except line ends and tabs, because the text of a server must not
 * control the terminal. Keeps the joiners that emoji and some scripts need.
 */
export function plain(text: string): string {
  return cleanText(text)
}

/** Like `plain`, on one line. */
export function oneLine(text: string): string {
  return plain(text).replace(/\s+/g, ' ').trim()
}

/** JSON with escapes for characters that cannot be seen, move the cursor or change the text direction. */
export function printableJson(value: unknown, indent = 2): string {
  return escapeInJson(JSON.stringify(value, null, indent))
}

/**
 * Shows invisible characters as escapes instead of removing them. For names, and for command lines that a person
 * approves: `plain` would hide the text inside an escape sequence, which a shell would run.
 */
export { escapeUnseen as visible } from '../../core/clean-text.ts'

/** Lines of at most `width` columns, each with `indent`. A longer word is not broken. */
export function wrap(text: string, width: number, indent = ''): readonly string[] {
  const room = Math.max(width - columnsOf(indent), 10)
  return plain(text)
    .split('\n')
    .flatMap((paragraph) => breakLine(paragraph, room))
    .map((line) => (line === '' ? '' : `${indent}${line}`))
}

function breakLine(paragraph: string, room: number): readonly string[] {
  if (room === Number.POSITIVE_INFINITY || columnsOf(paragraph) <= room) return [paragraph.trimEnd()]
  const lead = /^\s*/.exec(paragraph)?.[0] ?? ''
  const lines: string[] = []
  let line = lead
  for (const word of paragraph.trim().split(/\s+/)) {
    const isFirst = line.trim() === ''
    if (!isFirst && columnsOf(line) + 1 + columnsOf(word) > room) {
      lines.push(line)
      line = `${lead}${word}`
    } else {
      line = isFirst ? `${lead}${word}` : `${line} ${word}`
    }
  }
  return [...lines, line]
}

/** Aligns cells in columns. The last cell of a row can have any length. */
export function columns(rows: readonly (readonly string[])[], gap = 2): readonly string[] {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, columnsOf(cell))
    })
  }
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell + ' '.repeat((widths[at] ?? 0) - columnsOf(cell) + gap)))
      .join('')
      .trimEnd(),
  )
}

/** The width of a text on the screen; wide characters count as two. */
export function columnsOf(text: string): number {
  let width = 0
  for (const letter of stripVTControlCharacters(text)) {
    if (/\p{Mn}|\p{Cf}/u.test(letter)) continue
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
        letter,
      )
        ? 2
        : 1
  }
  return width
}

/** Cuts a text that is wider than `width` columns, and ends it with `…`. */
export function cut(text: string, width: number): string {
  if (columnsOf(text) <= width) return text
  let kept = ''
  for (const letter of text) {
    if (columnsOf(kept) + columnsOf(letter) > width - 1) break
    kept += letter
  }
  return `${kept}…`
}

export function count(value: number, noun: string, plural = `${noun}s`): string {
  return `${number(value)} ${value === 1 ? noun : plural}`
}

/** For example `1 to 10 items` or `at most 10`. Empty without bounds, and for a count of at least 0. */
export function rangeText({ min, max }: Range, noun = ''): string {
  const unit = noun === '' ? '' : ` ${noun}${(max ?? min) === 1 ? '' : 's'}`
  if (min !== undefined && max !== undefined) return `${min === max ? '' : `${min} to `}${max}${unit}`
  if (min !== undefined) return min === 0 && noun !== '' ? '' : `at least ${min}${unit}`
  return max === undefined ? '' : `at most ${max}${unit}`
}

export function number(value: number): string {
  return Number.isSafeInteger(value) && value >= 0 ? groupDigits(value) : value.toLocaleString('en-US')
}

export function milliseconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** Replaces the home folder by `~`. */
export function shortPath(path: string, home: string): string {
  return home !== '' && (path === home || path.startsWith(`${home}/`) || path.startsWith(`${home}\\`))
    ? `~${path.slice(home.length)}`
    : path
}

/**
 * Replaces the home folder by `~` in each path of a text. A path in quotes stays whole: a shell does not expand `~` there.
 */
export function shortenPaths(text: string, home: string): string {
  if (home === '') return text
  const folder = home.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return text.replace(new RegExp(`(?<![^\\s\`(])${folder}(?=[/\\\\])`, 'g'), '~')
}

export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

const INDENT = '  '
/** Cells without a value. The narrow form of a table leaves them out. */
const EMPTY_CELLS = new Set(['', '-'])

/** The first cell names the row. In a narrow terminal the other cells follow below it, with their column names. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
  indent = '',
): readonly string[] {
  return fitting([head, ...rows], width, indent, () =>
    rows.flatMap(([name = '', ...cells]) => {
      const named = cells.flatMap((cell, at) => (EMPTY_CELLS.has(cell) ? [] : [`${head[at + 1]} ${cell}`]))
      return [`${indent}${name}`, ...packed(named, width, `${indent}${INDENT}`)]
    }),
  )
}

/** Names with values; in a narrow terminal each value is below its name. */
export function pairs(rows: readonly (readonly [string, string])[], width: number, indent = ''): readonly string[] {
  return fitting(rows, width, indent, () =>
    rows.flatMap(([name, value]) => [`${indent}${name}`, ...wrap(value, width, `${indent}${INDENT}`)]),
  )
}

/** Columns if they fit the width, and `otherwise()` if not. */
export function fitting(
  rows: readonly (readonly string[])[],
  width: number,
  indent: string,
  otherwise: () => readonly string[],
): readonly string[] {
  const lines = columns(rows).map((line) => `${indent}${line}`)
  return lines.every((line) => columnsOf(line) <= width) ? lines : otherwise()
}

/** Joins items with commas, or with semicolons if an item contains a list. Breaks lines only between items. */
function packed(items: readonly string[], width: number, indent: string): readonly string[] {
  const separator = items.some((item) => item.includes(', ')) ? ';' : ','
  const lines: string[] = []
  for (const [at, item] of items.entries()) {
    const text = at === items.length - 1 ? item : `${item}${separator}`
    const last = lines.at(-1)
    if (last === undefined || columnsOf(`${last} ${text}`) > width) lines.push(`${indent}${text}`)
    else lines[lines.length - 1] = `${last} ${text}`
  }
  return lines
}
