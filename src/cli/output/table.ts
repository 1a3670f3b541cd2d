// Tables that fit the terminal: in columns where there is room, else each row by itself.

import { columns, columnsOf, wrap } from './text.ts'

const INDENT = '  '
/** A cell of which there is nothing to say. */
const NOTHING = new Set(['', '-'])

/** The first cell of a row names it; in a narrow terminal the others follow it, each behind the name of its column. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
  indent = '',
): readonly string[] {
  return fitting([head, ...rows], width, indent, () =>
    rows.flatMap(([name = '', ...cells]) => {
      const named = cells.flatMap((cell, at) => (NOTHING.has(cell) ? [] : [`${head[at + 1]} ${cell}`]))
      return [`${indent}${name}`, ...packed(named, width, `${indent}${INDENT}`)]
    }),
  )
}

/** Names and what belongs to each; in a narrow terminal below it. */
export function pairs(rows: readonly (readonly [string, string])[], width: number, indent = ''): readonly string[] {
  return fitting(rows, width, indent, () =>
    rows.flatMap(([name, value]) => [`${indent}${name}`, ...wrap(value, width, `${indent}${INDENT}`)]),
  )
}

function fitting(
  rows: readonly (readonly string[])[],
  width: number,
  indent: string,
  otherwise: () => readonly string[],
): readonly string[] {
  const lines = columns(rows).map((line) => `${indent}${line}`)
  return lines.every((line) => columnsOf(line) <= width) ? lines : otherwise()
}

/** With commas, broken between them only. */
function packed(items: readonly string[], width: number, indent: string): readonly string[] {
  const lines: string[] = []
  for (const [at, item] of items.entries()) {
    const text = at === items.length - 1 ? item : `${item},`
    const last = lines.at(-1)
    if (last === undefined || columnsOf(`${last} ${text}`) > width) lines.push(`${indent}${text}`)
    else lines[lines.length - 1] = `${last} ${text}`
  }
  return lines
}
