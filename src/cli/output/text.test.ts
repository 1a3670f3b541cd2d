import { describe, expect, it } from 'vitest'
import {
  columns,
  columnsOf,
  count,
  cut,
  milliseconds,
  oneLine,
  pairs,
  plain,
  printableJson,
  shortenPaths,
  shortPath,
  table,
  wrap,
} from './text.ts'

describe('printableJson', () => {
  it('printable JSON keeps the values, and escapes characters that control a terminal', () => {
    const document = { name: 'a\u009b2J\u202eb\u007f\u0007', text: 'é 漢 😀' }
    const json = printableJson(document)
    expect(JSON.parse(json)).toEqual(document)
    expect([...document.name].filter((char) => !/[a-z0-9J]/.test(char) && json.includes(char))).toEqual([])
    expect(json).toContain('é 漢 😀')
  })
})

describe('text for people', () => {
  it('text for people contains no characters that control a terminal', () => {
    expect(plain('a\u001b[31mb\u001b[0m\u0007\u001b]0;title\u0007c\r\nd\u202ee')).toBe('abc\nde')
    expect(plain('a\u200f\u061c\u200b\u{e0041}b\u2028c')).toBe('ab\nc')
    expect(oneLine('a\n\tb \u001b[2K c')).toBe('a b c')
  })

  it('text for people keeps the joiners of emoji and of Persian and Indic words', () => {
    for (const text of ['👨\u200d👩\u200d👧', 'می\u200cخواهم', 'क्\u200dष'])
      expect([plain(text), oneLine(text)]).toEqual([text, text])
  })

  it('text is wrapped at words and indented, and is not wrapped if the width is infinite', () => {
    expect(wrap('one two three four', 12, '  ')).toEqual(['  one two', '  three four'])
    expect(wrap('a-word-that-is-too-long to break', 12)).toEqual(['a-word-that-is-too-long', 'to break'])
    expect(wrap('first\n\n  second line', 80, '  ')).toEqual(['  first', '', '    second line'])
    expect(wrap('x '.repeat(200).trim(), Number.POSITIVE_INFINITY)).toHaveLength(1)
  })

  it('text is aligned in columns, with wide characters counted as two', () => {
    expect(
      columns([
        ['a', 'x'],
        ['日本', 'y'],
        ['abc', ''],
      ]),
    ).toEqual(['a     x', '日本  y', 'abc'])
    expect(columnsOf('\u001b[32m✓\u001b[39m é')).toBe(3)
    expect(cut('日本語です', 7)).toBe('日本語…')
  })

  it('formats counts, durations and paths for people', () => {
    expect([count(1, 'tool'), count(1_500, 'tool')]).toEqual(['1 tool', '1,500 tools'])
    expect([milliseconds(12.4), milliseconds(1_250)]).toEqual(['12 ms', '1.3 s'])
    expect([shortPath('/h/ada/x', '/h/ada'), shortPath('/h/adam/x', '/h/ada')]).toEqual(['~/x', '/h/adam/x'])
  })
})

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

it.each([
  ['The file /folders/a.b/x.json, in (/folders/a.b/y)', 'The file ~/x.json, in (~/y)'],
  ['run `chmod 600 /folders/a.b/x`', 'run `chmod 600 ~/x`'],
  [
    "'/folders/a.b/my file' and /folders/aXb/x and /other/folders/a.b/x",
    "'/folders/a.b/my file' and /folders/aXb/x and /other/folders/a.b/x",
  ],
])('a text has ~ in its paths, except in quotes: %s', (text, expected) => {
  expect(shortenPaths(text, '/folders/a.b')).toBe(expected)
  expect(shortenPaths(text, '')).toBe(text)
})

describe('pairs', () => {
  it('pairs print a value beside its name if it fits, and below its name if not', () => {
    const given = [['Saved', '3,000 of 4,000']] as const
    expect(pairs(given, 40)).toEqual(['Saved  3,000 of 4,000'])
    expect(pairs(given, 16)).toEqual(['Saved', '  3,000 of 4,000'])
  })
})
