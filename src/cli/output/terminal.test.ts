import { expect, it } from 'vitest'
import { readTerminal } from './terminal.ts'

const tty = { isTTY: true, columns: 100 }
const pipe = {}

it.each([
  ['a terminal', tty, {}, { hasColor: true, width: 100, isStdoutTty: true }],
  ['a pipe', pipe, {}, { hasColor: false, width: Number.POSITIVE_INFINITY, isStdoutTty: false }],
  ['NO_COLOR', tty, { NO_COLOR: '1' }, { hasColor: false }],
  ['an empty NO_COLOR', tty, { NO_COLOR: '' }, { hasColor: true }],
  ['FORCE_COLOR in a pipe', pipe, { FORCE_COLOR: '1' }, { hasColor: true }],
  ['both variables', pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, { hasColor: false }],
  ['FORCE_COLOR=0', tty, { FORCE_COLOR: '0' }, { hasColor: false }],
  ['a dumb terminal', tty, { TERM: 'dumb' }, { hasColor: false }],
  ['COLUMNS in a pipe', pipe, { COLUMNS: '60' }, { width: 60 }],
  ['a terminal of 0 columns', { isTTY: true, columns: 0 }, {}, { width: 80 }],
  ['a terminal of 0 columns beside COLUMNS', { isTTY: true, columns: 0 }, { COLUMNS: '60' }, { width: 60 }],
  ['COLUMNS=0', tty, { COLUMNS: '0' }, { width: 100 }],
  ['COLUMNS=0 in a pipe', pipe, { COLUMNS: '0' }, { width: Number.POSITIVE_INFINITY }],
  ['a very wide terminal', { isTTY: true, columns: 400 }, {}, { width: 120 }],
])('detects the colours and the width with %s', (_, stdout, env, expected) => {
  expect(readTerminal({ stdin: pipe, stdout, stderr: stdout }, env)).toMatchObject(expected)
})
