// Runs the contract tests for every strategy in a crib with its default options, and for some with other options too.

import { strategies } from '../disclosure/strategies/builtins.ts'
import { strategyContract } from '../disclosure/strategy.contract.ts'
import { cribOf, requestOf } from './crib.fixture.ts'

const PREFIX = { prefix: 'afd' }

/** The other options. */
const variants: readonly (readonly [strategy: string, options: Readonly<Record<string, unknown>>])[] = [
  ['manage', { autoEnable: true, builtins: true }],
  ['categories', { listing: 'full' }],
  ['categories', { listing: 'hidden', invoke: true }],
  ['categories', { listing: 'hybrid', core: ['note-*'], invoke: true, builtins: true }],
  ['capabilities', { ...PREFIX, listing: 'hidden', invoke: true }],
  ['capabilities', { ...PREFIX, listing: 'hybrid', core: 'note-*' }],
  ['auto', { budget: 0 }],
]
const defaults = [...strategies.keys()].map((name) => [name, name === 'capabilities' ? PREFIX : {}] as const)

for (const [strategy, strategyOptions] of [...defaults, ...variants]) {
  const title = `${strategy} ${JSON.stringify(strategyOptions)}`
  strategyContract(title, async ({ commands, unexposed = [], contexts = [], context }) => {
    const crib = cribOf(commands, { strategy, strategyOptions, unexposed, contexts })
    const request = requestOf('session-1')
    if (context !== undefined) await crib.execute('afd-context-enter', { context }, request)
    const environment = { prefix: 'afd', hasContexts: contexts.length > 0 }
    return {
      metaTools: strategies.get(strategy)?.create(strategyOptions, environment).metaTools ?? [],
      list: () => crib.list(request),
      call: (tool, args) => crib.call(tool, args, request),
      close: () => crib[Symbol.asyncDispose](),
    }
  })
}
