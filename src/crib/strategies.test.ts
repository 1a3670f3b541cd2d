// Every strategy there is, in a crib of its own, against the one contract.

import { strategies } from '../disclosure/builtins.ts'
import { strategyContract } from '../disclosure/strategy.contract.ts'
import { cribOf, requestOf } from './crib.fixture.ts'

for (const [name, plugin] of strategies) {
  strategyContract(name, async ({ commands, unexposed = [], contexts = [], context }) => {
    const crib = cribOf(commands, { strategy: name, unexposed, contexts })
    const request = requestOf('session-1')
    if (context !== undefined) await crib.execute('afd-context-enter', { context }, request)
    return {
      metaTools: plugin.create({}, { prefix: 'afd', hasContexts: contexts.length > 0 }).metaTools,
      list: () => crib.list(request),
      call: (tool, args) => crib.call(tool, args, request),
      close: () => crib[Symbol.asyncDispose](),
    }
  })
}
