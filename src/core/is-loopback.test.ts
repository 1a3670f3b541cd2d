import { expect, it } from 'vitest'
import { isLoopback } from './is-loopback.ts'

it.each(['localhost', '127.0.0.1', '127.0.0.2', '::1', '[::1]'])('accepts %s as a loopback host', (host) => {
  expect(isLoopback(host)).toBe(true)
})

it.each([
  '',
  '0.0.0.0',
  '[::]',
  '128.0.0.1',
  '127.0.0.1.example.com',
  'localhost.example.com',
  'example.localhost',
  '1.127.0.0.1',
])("does not accept '%s' as a loopback host", (host) => {
  expect(isLoopback(host)).toBe(false)
})
