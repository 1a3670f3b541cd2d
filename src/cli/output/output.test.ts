import { expect, it } from 'vitest'
import { createOutput, createPaint, withConfig } from './output.ts'
import { readTerminal } from './terminal.ts'

it('paint adds style codes, reopens the outer style after a nested one, and changes nothing if colours are off', () => {
  const { bold, red, dim } = createPaint(true)
  expect(red('x')).toBe('\u001b[31mx\u001b[39m')
  expect(bold(`a${dim('b')}c`)).toBe('\u001b[1ma\u001b[2mb\u001b[22m\u001b[1mc\u001b[22m')
  expect(createPaint(false).bold('x')).toBe('x')
})

it.each([
  ['toolcrib doctor files', 'toolcrib doctor files --config a.json'],
  ['toolcrib add x -- npx y', 'toolcrib add x --config a.json -- npx y'],
  ['toolcrib doctor --config b.json', 'toolcrib doctor --config b.json'],
  ['toolcrib list --help', 'toolcrib list --help'],
])('%s keeps the config of the command that suggests it', (command, expected) => {
  expect(withConfig(command, 'a.json')).toBe(expected)
  expect(withConfig(command, undefined)).toBe(command)
})

it('errors and notes shorten paths and keep --config in the commands that they suggest', () => {
  const printed: string[] = []
  const sinks = { out: () => {}, err: (text: string) => void printed.push(text) }
  const terminal = readTerminal(process, { NO_COLOR: '1' })
  const output = createOutput({}, { ...terminal, width: 200 }, { home: '/folders/ada', config: 'my a.json', sinks })
  output.printError('The file /folders/ada/a.json is wrong.', 'Run `toolcrib list` or `chmod 600 /folders/ada/a.json`.')
  output.printError('It needs login: run `toolcrib login x`.')
  output.note('Run `toolcrib doctor`; toolcrib helps.')
  expect(printed.join('')).toBe(
    [
      'Error: The file ~/a.json is wrong.',
      "Next:  Run `toolcrib list --config 'my a.json'` or `chmod 600 ~/a.json`.",
      "Error: It needs login: run `toolcrib login x --config 'my a.json'`.",
      "Run `toolcrib doctor --config 'my a.json'`; toolcrib helps.",
      '',
    ].join('\n'),
  )
})
