// toolcrib/testing: the contract suites for strategies, rankers, sources, stores and importers. They run in vitest.

import { cribOf, requestOf } from './crib/crib.fixture.ts'
import { strategyContract as testStrategy } from './disclosure/strategy.contract.ts'
import type { StrategyPlugin } from './disclosure/strategy.ts'

export { type ImporterSample, importerContract, type SampleServer } from './config/imports/importer.contract.ts'
export { rankerContract } from './search/ranker.contract.ts'
export { type SourceUnderTest, sourceContract } from './sources/source.contract.ts'
export { type StoreUnderTest, storeContract } from './storage/store.contract.ts'

/** The options of `strategyContract`. */
export interface StrategyContractOptions {
  /** The options of the strategy. Default: none. */
  readonly strategyOptions?: Readonly<Record<string, unknown>>
  /**
   * Arguments for each tool of the strategy, by its name: valid, invalid and nearly valid ones. The suite compares the
   * schema of the tool with what the tool accepts.
   */
  readonly samples: Readonly<Record<string, readonly unknown[]>>
}

/**
 * Defines the tests that every strategy must pass: the schema of a tool accepts what the tool accepts, hidden tools are
 * never shown, and every call gets an answer. The suite has commands of its own.
 *
 * @example
 * ```ts
 * strategyContract(findAndRun, {
 *   strategyOptions: { limit: 3 },
 *   samples: {
 *     find_tools: [{ query: 'note' }, { query: '' }, {}],
 *     run_tool: [{ tool: 'note-echo' }, { tool: 7 }, {}],
 *   },
 * })
 * ```
 */
export function strategyContract(plugin: StrategyPlugin, { strategyOptions, samples }: StrategyContractOptions): void {
  testStrategy(plugin.name, async ({ commands, unexposed = [], contexts = [], context }) => {
    const crib = cribOf(commands, { strategy: plugin, strategyOptions, unexposed, contexts })
    const request = requestOf('session-1')
    if (context !== undefined) await crib.execute('afd-context-enter', { context }, request)
    const environment = { prefix: 'afd', hasContexts: contexts.length > 0 }
    return {
      metaTools: plugin.create(strategyOptions, environment).metaTools,
      samples,
      list: () => crib.list(request),
      call: (tool, args) => crib.call(tool, args, request),
      close: () => crib[Symbol.asyncDispose](),
    }
  })
}
