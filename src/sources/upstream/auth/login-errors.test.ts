import { expect, it } from 'vitest'
import { shortReason } from './login-errors.ts'

it('shortReason keeps a short message, and cuts a long one before the word at the limit', () => {
  expect(shortReason(new Error('refused'))).toBe('refused')
  const token = 'abcdefgh'.repeat(20)
  const long = shortReason(new Error(`${'x '.repeat(130)}"refresh_token":"${token}"`))
  expect(long).toMatch(/"refresh_token":"…$/)
  expect(long).not.toContain('abc')
})
