import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { judge, readBudgets, unknownRows } from './budgets.ts'
import { spreadOf } from './figures.ts'
import { figureOf } from './group.ts'
import { groups } from './groups/all.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function budgetsFrom(rows: unknown) {
  const file = join(folder, 'budgets.json')
  writeFileSync(file, JSON.stringify({ about: [], rows }))
  return readBudgets(file)
}

describe('judge', () => {
  const at = (value: number) => spreadOf([value])
  const most = { max: 2, gate: false }
  const least = { min: 0.5, gate: false }

  it('judge accepts a figure that equals its budget and rejects one beyond it', () => {
    expect(judge(at(2), most, false)).toBe('holds')
    expect(judge(at(2.01), most, false)).toBe('BROKEN')
    expect(judge(at(0.5), least, false)).toBe('holds')
    expect(judge(at(0.49), least, false)).toBe('BROKEN')
  })

  it('judge decides by the median of the rounds, not by the worst round', () => {
    expect(judge(spreadOf([1, 9, 1.5]), most, false)).toBe('holds')
  })

  it('judge answers BROKEN in the short form only for a budget with `gate`', () => {
    expect(judge(at(3), most, true)).toBe('missed')
    expect(judge(at(3), { ...most, gate: true }, true)).toBe('BROKEN')
  })

  it('judge rejects a figure that is NaN', () => {
    expect(judge(at(Number.NaN), most, false)).toBe('BROKEN')
  })

  it('judge answers `shown` for a row without a budget', () => {
    expect(judge(at(3), undefined, false)).toBe('shown')
  })
})

describe('bench/budgets.json', () => {
  const budgets = readBudgets(fileURLToPath(new URL('../budgets.json', import.meta.url)))
  const ids = groups.flatMap(({ rows }) => rows.map(({ id }) => id))

  it('bench/budgets.json contains only rows that exist, and no two rows have the same id', () => {
    expect(unknownRows(budgets, ids)).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
  })
})

it('readBudgets refuses a file if a row has no bound, two bounds or an unknown key', () => {
  expect(budgetsFrom({ row: { max: 1 } })).toEqual({ row: { max: 1, gate: false } })
  for (const row of [{}, { max: 1, min: 1 }, { max: 1, gated: true }]) expect(() => budgetsFrom({ row })).toThrow()
})

describe('figureOf', () => {
  const row = { id: 'x', what: 'x', unit: 'ms', ours: 'a', base: 'b' }
  const figures = { a: 6, b: 4 }

  it('figureOf returns the ratio, the difference or the figure itself, as the row specifies', () => {
    expect(figureOf({ ...row, as: 'ratio' }, figures)).toBe(1.5)
    expect(figureOf({ ...row, as: 'difference' }, figures)).toBe(2)
    expect(figureOf({ id: 'x', what: 'x', unit: 'ms', ours: 'a', as: 'value' }, figures)).toBe(6)
  })

  it('figureOf returns NaN if a figure is missing', () => {
    expect(figureOf({ ...row, as: 'ratio' }, { a: 6 })).toBeNaN()
  })
})
