// Tables that fit the terminal: columns if they fit the width, otherwise one block per row.

import { columns, columnsOf, wrap } from './text.ts'

const INDENT = '  '
/** Cells without a value. A block leaves them out. */
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
function fitting(
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
