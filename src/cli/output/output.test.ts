import { expect, it } from 'vitest'
import { createPaint } from './output.ts'

it('paint adds style codes, reopens the outer style after a nested one, and changes nothing if colours are off', () => {
  const { bold, red, dim } = createPaint(true)
  expect(red('x')).toBe('\u001b[31mx\u001b[39m')
  expect(bold(`a${dim('b')}c`)).toBe('\u001b[1ma\u001b[2mb\u001b[22m\u001b[1mc\u001b[22m')
  expect(createPaint(false).bold('x')).toBe('x')
})
