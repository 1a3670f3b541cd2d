// The table of faults and attacks: every row is named by a test, and docs/security.md names the test of every promise.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const folder = fileURLToPath(new URL('.', import.meta.url))
const security = readFileSync(fileURLToPath(new URL('../../docs/security.md', import.meta.url)), 'utf8')
const ROWS = Array.from({ length: 22 }, (_, at) => at + 1)
const files = readdirSync(folder).filter((name) => name.endsWith('.test.ts') && name !== 'table.test.ts')

/** The row numbers at the start of the test and suite names in a file. Texts printed with `report` do not count. */
function rowsOf(file: string): readonly number[] {
  const text = readFileSync(`${folder}/${file}`, 'utf8')
  return [...text.matchAll(/(?<!report\(\s*)['"`]row (\d+): /g)].map(([, row]) => Number(row))
}

it('every row of the table is named by at least one test', () => {
  const named = new Set(files.flatMap(rowsOf))
  expect(ROWS.filter((row) => !named.has(row))).toEqual([])
})

it('docs/security.md has a line for every row, with a test file that names this row', () => {
  const lines = [...security.matchAll(/^\| (\d+) \|.*`test\/faults\/([\w-]+\.test\.ts)`.*$/gm)]
  expect(lines.map(([, row]) => Number(row))).toEqual(ROWS)
  const wrong = lines.filter(
    ([, row, file = '']) => !existsSync(`${folder}/${file}`) || !rowsOf(file).includes(Number(row)),
  )
  expect(wrong.map(([line]) => line)).toEqual([])
})
