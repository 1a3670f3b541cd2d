import { expect, it } from 'vitest'
import { stableHash } from './hash.ts'

it('stableHash gives the same hash for another order of keys, and another hash for another order of items', () => {
  expect(stableHash(['a', { x: 1, y: { p: [1, 2], q: null } }])).toBe(
    stableHash(['a', { y: { q: null, p: [1, 2] }, x: 1 }]),
  )
  expect(stableHash({ x: [1, 2] })).not.toBe(stableHash({ x: [2, 1] }))
})

it('stableHash gives a value the hash that stored manifests and pins have', () => {
  expect(stableHash(['files', { type: 'stdio', command: 'npx', args: ['x'], env: {} }])).toBe(
    'ec2e49a6b0c0862fd00f678b60f88338',
  )
})
