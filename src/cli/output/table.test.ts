import { describe, expect, it } from 'vitest'
import { pairs, table } from './table.ts'

const head = ['server', 'calls', 'median']
const rows = [
  ['files', '4', '75 ms'],
  ['everything', '0', '-'],
]

describe('table', () => {
  it('has columns where they fit', () => {
    expect(table(head, rows, 80, '  ')).toEqual([
      '  server      calls  median',
      '  files       4      75 ms',
      '  everything  0      -',
    ])
  })

  it('has each row by itself where they do not: what there is to say, each behind its name', () => {
    expect(table(head, rows, 24, '  ')).toEqual([
      '  files',
      '    calls 4,',
      '    median 75 ms',
      '  everything',
      '    calls 0',
    ])
  })
})

describe('pairs', () => {
  it('stand beside each other where they fit, else below', () => {
    const given = [['Saved', '3,000 of 4,000']] as const
    expect(pairs(given, 40)).toEqual(['Saved  3,000 of 4,000'])
    expect(pairs(given, 16)).toEqual(['Saved', '  3,000 of 4,000'])
  })
})
