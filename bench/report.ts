// Prints the table of a benchmark and writes the same rows as JSON to build/bench. The run fails if a value is above its
// limit or below its floor.

import { mkdirSync, writeFileSync } from 'node:fs'

export type Row = Readonly<Record<string, string | number>>

export interface Limit {
  readonly what: string
  readonly value: number
  readonly max: number
}

export function report(name: string, title: string, rows: readonly Row[], limits: readonly Limit[] = []): void {
  console.log(`\n${title}`)
  printTable(rows)
  for (const { what, value, max } of limits) {
    console.log(`${value <= max ? 'holds ' : 'BROKEN'}  ${what}: ${value} (at most ${max})`)
    if (value > max) process.exitCode = 1
  }
  mkdirSync('build/bench', { recursive: true })
  writeFileSync(
    `build/bench/${name}.json`,
    `${JSON.stringify({ name, node: process.version, rows, limits }, null, 2)}\n`,
  )
}

export interface Floor {
  readonly what: string
  readonly value: number
  readonly min: number
}

export function checkFloors(floors: readonly Floor[]): void {
  for (const { what, value, min } of floors) {
    console.log(`${value >= min ? 'holds ' : 'BROKEN'}  ${what}: ${Number(value.toFixed(2))} (at least ${min})`)
    if (value < min) process.exitCode = 1
  }
}

export function printTable(rows: readonly Row[]): void {
  const columns = Object.keys(rows[0] ?? {})
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.map((row) => String(row[column] ?? '').length)),
  )
  const line = (cells: readonly (string | number)[]) =>
    cells
      .map((cell, index) =>
        typeof cell === 'number' ? String(cell).padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
      )
      .join('  ')
  console.log(line(columns))
  for (const row of rows) console.log(line(columns.map((column) => row[column] ?? '')))
}
