import { expect, it } from 'vitest'
import type { Rights } from '../../../core/rights.ts'
import { createServerNames } from './gateway.ts'

const viewWith = (a: number, b: number, rights?: Rights) => ({
  caller: { principal: 'p', era: 'modern', transport: 'http', ...(rights === undefined ? {} : { rights }) } as const,
  sources: [
    { id: 'a', state: 'connected', toolCount: a },
    { id: 'b', state: 'connected', toolCount: b },
  ] as const,
})

it('keeps the order of the server names while a server lists more tools', () => {
  const namesIn = createServerNames()
  expect(namesIn(viewWith(2, 1))).toBe('a, b')
  expect(namesIn(viewWith(2, 3))).toBe('a, b')
})

it('orders the servers by the tools that exist for the caller, and not by those of an earlier caller', () => {
  const namesIn = createServerNames()
  expect(namesIn(viewWith(1, 100))).toBe('b, a')
  expect(namesIn(viewWith(1, 1, { tools: ['read_*'] }))).toBe('a, b')
  expect(namesIn(viewWith(1, 100))).toBe('b, a')
})
