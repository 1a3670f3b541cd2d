import { expect, it } from 'vitest'
import { createOutput, createPaint } from '../output/output.ts'
import { readTerminal } from '../output/terminal.ts'
import { changeLines, diffLines } from './plan-lines.ts'

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

it.each(['yaml', 'YML', 'toml'])('shows a long changed line of a %s file as the file has it', async (extension) => {
  const long = `args: [${'"a", '.repeat(60)}"b"]`
  const output = createOutput({}, readTerminal(process, { NO_COLOR: '1' }))
  const change = { file: `/w/config.${extension}`, before: 'a: 1\n', after: `a: 1\n${long}\n` }
  expect(await changeLines(change, output, [])).toEqual([change.file, '  a: 1', `+ ${long}`, ''])
})

it('shows a long changed line of a JSON file with one value per line', async () => {
  const output = createOutput({}, readTerminal(process, { NO_COLOR: '1' }))
  const after = `{\n  "args": [${'"a", '.repeat(60)}"b"]\n}\n`
  const lines = await changeLines({ file: '/w/config.json', before: '{\n}\n', after }, output, [])
  expect(lines).toContain('(shown with line breaks; the file keeps its own layout)')
  expect(lines).toContain('+     "b"')
})
