// The server's own tools: they run without middleware and without onCommand, on every path.

import { describe, expect, it } from 'vitest'
import { createBootstrapCommands, type McpServerOptions } from '../../src/index.ts'
import { shopCommands, shopContexts } from '../fixtures/shop.ts'
import { combinations, covers, OVER, strategies, useConnections } from './harness.ts'

const OWN_TOOLS = [
  ['afd-discover', {}],
  ['afd-detail', { command: 'status' }],
  ['afd-help', {}],
  ['afd-docs', { command: 'status' }],
  ['afd-schema', {}],
  ['afd-context-list', {}],
  ['afd-context-enter', { context: 'checkout' }],
  ['afd-context-exit', {}],
] as const

// Not over stdio: there the server is a child process, and its events cannot be recorded in this process.
describe.each(combinations.filter(({ transport }) => transport !== 'stdio'))(OVER, (combination) => {
  let recorded: string[] = []
  const rest: Partial<McpServerOptions> = {
    commands: [...shopCommands, ...createBootstrapCommands()],
    contexts: shopContexts,
    middleware: [
      (name, _input, _context, next) => {
        recorded.push(`middleware ${name}`)
        return next()
      },
    ],
    onCommand: (name) => void recorded.push(`onCommand ${name}`),
  }
  const shops = useConnections({
    individual: { ...combination, strategy: 'individual', rest },
    grouped: { ...combination, strategy: 'grouped', rest },
    lazy: { ...combination, strategy: 'lazy', rest },
  })

  it.each(strategies)(
    'the built-in tools run without middleware and onCommand under %s, by name and through afd-call',
    async (strategy) => {
      covers('MW-3', 'PN-7')
      const shop = shops[strategy]
      recorded = []
      for (const [tool, input] of OWN_TOOLS) {
        for (const { result } of [
          await shop.call(tool, input),
          await shop.call('afd-call', { command: tool, input }),
        ]) {
          // The only allowed failure: without sessions a client cannot enter or leave a context.
          expect(result.error?.code ?? 'none', tool).toMatch(
            combination.era === 'modern' ? /^(none|NO_SESSION)$/ : /^none$/,
          )
        }
      }
      expect(recorded).toEqual([])
      await shop.call('afd-call', { command: 'status' })
      expect(recorded).toEqual(['middleware status', 'onCommand status'])
    },
  )
})
