import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { strategies } from '../../disclosure/strategies/builtins.ts'
import { addStrategyFlags, strategyFlags, strategyOptionsIn } from './strategy-flags.ts'

/** Options that need a config file: functions, records and sentences. */
const CONFIG_ONLY = ['groupBy', 'descriptions', 'quickActions']

function parse(strategy: string, ...words: readonly string[]) {
  const command = addStrategyFlags(new Command('serve').exitOverride()).parse(words, { from: 'user' })
  return strategyOptionsIn(command.opts(), strategy, 'toolcrib serve')
}

describe('the flags of strategies', () => {
  it.each([...strategies.values()])(
    'the strategy $name has the flag --prefix, a flag for each option that needs no config file, and no other flags',
    ({ name, optionNames }) => {
      const flags = strategyFlags.filter((flag) => flag.strategies.includes(name)).map(({ option }) => option)
      const own = optionNames.filter((option) => !CONFIG_ONLY.includes(option))
      // Every strategy takes `prefix`; most do not list it, because the server passes it.
      expect(flags.toSorted()).toEqual([...new Set([...own, 'prefix'])].toSorted())
    },
  )

  it('sets no option if no flag is given, so that the configured options stay', () => {
    expect(parse('categories')).toEqual({})
  })

  it.each([
    ['categories', ['--listing', 'hidden', '--no-invoke'], { listing: 'hidden', invoke: false }],
    ['categories', ['--core', 'read_*, {list,get}_*,!get_x'], { core: ['read_*', '{list,get}_*', '!get_x'] }],
    ['categories', ['--core', 'learned', '--core-budget', '900'], { core: 'learned', coreBudget: 900 }],
    [
      'capabilities',
      ['--prefix', 'acme', '--invoke', '--inventory-budget', '400'],
      { prefix: 'acme', invoke: true, inventoryBudget: 400 },
    ],
    ['manage', ['--max-enabled', '5', '--auto-enable'], { maxEnabled: 5, autoEnable: true }],
    ['auto', ['--budget', '100', '--no-builtins'], { budget: 100, builtins: false }],
    ['individual', ['--meta-tools'], { metaTools: true }],
  ])('for the strategy %s, the flags %j set the options %j', (strategy, words, options) => {
    expect(parse(strategy, ...words)).toEqual(options)
    const { prefix: _prefix, ...own } = options as Record<string, unknown>
    expect(() => strategies.get(strategy)?.create(own, { prefix: 'afd', hasContexts: false })).not.toThrow()
  })

  it('a strategy of a config in code takes --prefix, and no flag of a built-in strategy', () => {
    expect(parse('mine', '--prefix', 'acme')).toEqual({ prefix: 'acme' })
    expect(() => parse('mine', '--budget', '5')).toThrow('--budget is an option of auto, but the strategy is mine')
  })

  it.each([
    ['gateway', ['--max-enabled', '5'], '--max-enabled is an option of manage, but the strategy is gateway'],
    ['manage', ['--max-enabled', 'many'], "--max-enabled takes a whole number, not 'many'"],
    ['auto', ['--budget', '-1'], "--budget takes a whole number, not '-1'"],
  ])('for the strategy %s, the flags %j are refused', (strategy, words, message) => {
    expect(() => parse(strategy, ...words)).toThrow(message)
  })
})
