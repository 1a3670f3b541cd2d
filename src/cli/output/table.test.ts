import { describe, expect, it } from 'vitest'
import { pairs, table } from './table.ts'

const head = ['server', 'calls', 'median']
const rows = [
  ['files', '4', '75 ms'],
  ['everything', '0', '-'],
]

describe('table', () => {
  it('a table uses columns if they fit the width', () => {
    expect(table(head, rows, 80, '  ')).toEqual([
      '  server      calls  median',
      '  files       4      75 ms',
      '  everything  0      -',
    ])
  })

  it('a table prints each row as a block without its empty cells if the columns do not fit', () => {
    expect(table(head, rows, 24, '  ')).toEqual([
      '  files',
      '    calls 4,',
      '    median 75 ms',
      '  everything',
      '    calls 0',
    ])
  })

  it('a block separates its cells with semicolons if a cell contains a list', () => {
    expect(table(['name', 'servers', 'tools'], [['bob', 'files, memory', 'all']], 22)).toEqual([
      'bob',
      '  servers files, memory;',
      '  tools all',
    ])
  })
})

describe('pairs', () => {
  it('pairs print a value beside its name if it fits, and below its name if not', () => {
    const given = [['Saved', '3,000 of 4,000']] as const
    expect(pairs(given, 40)).toEqual(['Saved  3,000 of 4,000'])
    expect(pairs(given, 16)).toEqual(['Saved', '  3,000 of 4,000'])
  })
})
