import { expect, it } from 'vitest'
import { slowStartWarnings } from './finding-lines.ts'

it('notes that the first call waits for a server that starts slowly, and how to keep the server running', () => {
  expect(slowStartWarnings(19_900)).toEqual([
    'it takes 20 s to start, and the first call waits that long; `idleMs: 0` in its config keeps it running afterwards',
  ])
})

it('notes nothing about a server that starts within ten seconds', () => {
  expect(slowStartWarnings(10_000)).toEqual([])
})
