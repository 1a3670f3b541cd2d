import { expect, it } from 'vitest'
import { createPaint } from '../output/output.ts'
import { diffLines } from './plan-lines.ts'

const diff = (before: string, after: string, hide = (line: string) => line) =>
  diffLines(before, after, createPaint(false), hide)

it('a diff shows the changed lines with two lines of context', () => {
  const lines = Array.from({ length: 12 }, (_, at) => `line ${at}`)
  const after = lines.with(5, 'changed').toSpliced(6, 1)
  expect(diff(lines.join('\n'), after.join('\n'))).toEqual([
    '  …',
    '  line 3',
    '  line 4',
    '- line 5',
    '- line 6',
    '+ changed',
    '  line 7',
    '  line 8',
    '  …',
  ])
})

it('a diff marks skipped lines with an ellipsis, and prints a single line instead of skipping it', () => {
  const lines = Array.from({ length: 16 }, (_, at) => `line ${at}`)
  expect(diff(lines.join('\n'), lines.with(3, 'changed').with(13, 'too').join('\n'))).toEqual([
    '  line 0',
    '  line 1',
    '  line 2',
    '- line 3',
    '+ changed',
    '  line 4',
    '  line 5',
    '  …',
    '  line 11',
    '  line 12',
    '- line 13',
    '+ too',
    '  line 14',
    '  line 15',
  ])
})

it('a diff shows a new file as a whole, is empty for equal texts, and hides secrets', () => {
  expect(diff('', 'a\nb\n')).toEqual(['+ a', '+ b'])
  expect(diff('a\n', 'a\n')).toEqual([])
  expect(diff('key: abc', 'key: x', (line) => line.replaceAll('abc', '***'))).toEqual(['- key: ***', '+ key: x'])
})
