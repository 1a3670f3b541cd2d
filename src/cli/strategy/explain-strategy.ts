// Explains the strategy in force: what chose it, what it lists, and what each strategy would cost in tokens.

import type { LoadedConfig } from '../../config/load/load.ts'
import { storeOf } from '../../config/store-setting.ts'
import type { ListedTool } from '../../core/tool.ts'
import { openUsage } from '../../crib/usage.ts'
import {
  createStrategy,
  findStrategy,
  listingFigures,
  type StrategyEnvironmentInput,
} from '../../disclosure/strategies/create-strategy.ts'
import { createCoreSet, LEARNED } from '../../disclosure/strategies/listing/core-set.ts'
import { countListing } from '../../disclosure/strategies/listing/tool-cost.ts'
import type { View } from '../../disclosure/view.ts'
import type { Environment } from '../../setup/environment.ts'
import { storeOpener } from '../../storage/open-stores.ts'
import type { Output } from '../output/output.ts'
import { columns, count, number, oneLine, wrap } from '../output/text.ts'
import type { ChosenStrategy } from './choose-strategy.ts'
import { optionWords } from './strategy-flags.ts'

interface StrategyExplanation {
  readonly strategy: string
  /** The given options; all others have their defaults. */
  readonly options: Readonly<Record<string, unknown>>
  /** How the tools are listed: the strategy or listing that `strategy` chose by itself, or else `strategy`. */
  readonly lists: string
  readonly reason: string
  readonly tools: number
  /** The tokens of tools/list with the chosen strategy. */
  readonly listTokens: number
  /** The cost of tools/list under each strategy. The key names the options that differ from the default. */
  readonly tokens: Readonly<Record<string, number>>
  /** Options that have no effect. */
  readonly problems: readonly string[]
}

export async function explainStrategy(
  chosen: ChosenStrategy,
  view: View,
  environment: Environment,
  loaded: LoadedConfig,
): Promise<StrategyExplanation> {
  const input = await strategyEnvironment(environment, loaded)
  const plugin = findStrategy(chosen.strategy, chosen.own)
  const { strategy } = createStrategy(plugin, chosen.options, input)
  const listed = await strategy.list(view)
  const choice = strategy.explain?.(view.caller)
  return {
    strategy: chosen.strategy,
    options: chosen.options,
    lists: choice?.strategy ?? chosen.strategy,
    reason: [chosen.reason, choice?.reason].filter(Boolean).join('; '),
    tools: view.visible.tools.length,
    listTokens: await countListing(listed),
    tokens: await listingFigures(view, input),
    problems: await coreProblems(chosen.options, plugin.optionNames.includes('listing'), view),
  }
}

/** The answer to tools/list with the chosen strategy and options. */
export async function listChosen(
  chosen: ChosenStrategy,
  view: View,
  environment: Environment,
  loaded: LoadedConfig,
): Promise<readonly ListedTool[]> {
  const plugin = findStrategy(chosen.strategy, chosen.own)
  const { strategy } = createStrategy(plugin, chosen.options, await strategyEnvironment(environment, loaded))
  return strategy.list(view)
}

/** The same environment as in a gateway that serves. */
async function strategyEnvironment(environment: Environment, loaded: LoadedConfig): Promise<StrategyEnvironmentInput> {
  await using store = storeOpener(storeOf(loaded), environment)('state')
  return {
    hasContexts: false,
    builtins: false,
    keepsResults: true,
    server: { name: 'toolcrib', version: environment.version },
    usage: await openUsage({ store }),
  }
}

export function explanationLines(
  explanation: StrategyExplanation,
  { width, shorten }: Pick<Output, 'width' | 'shorten'>,
): readonly string[] {
  const { strategy, options, lists, reason, tools, listTokens, tokens, problems } = explanation
  const strategyText = [strategy, ...optionWords(options)].join(', ')
  const header = [
    `Strategy: ${strategyText}${lists === strategy ? '' : `, which lists as ${lists}`} (${shorten(reason)})`,
    ...problems,
    tools === 0
      ? 'No tool is known yet, so the strategies cannot be compared.'
      : `Its tool list costs ${count(listTokens, 'token')} for ${count(tools, 'tool')}. Tokens with each strategy (other options have their defaults):`,
  ]
  const rows = tools === 0 ? [] : Object.entries(tokens).map(([name, figure]) => [name, number(figure)])
  return [...header.flatMap((line) => wrap(line, width)), ...columns(rows).map((line) => `  ${line}`)]
}

/**
 * Finds options of a hybrid listing that have no effect: a pattern that matches no tool, or a core that is not listed.
 * With `hasListing`, the strategy has the option `listing`, and lists the core only if that option is `hybrid`.
 */
async function coreProblems(
  options: Readonly<Record<string, unknown>>,
  hasListing: boolean,
  view: View,
): Promise<readonly string[]> {
  const { core, coreBudget, listing = 'auto' } = options
  const budgetProblem =
    coreBudget === undefined ? undefined : budgetProblemOf(core ?? (hasListing ? LEARNED : undefined))
  const isListed = !hasListing || listing === 'hybrid'
  if (!isListed) {
    const given = [...(core === undefined ? [] : ['core']), ...(coreBudget === undefined ? [] : ['core budget'])]
    if (given.length === 0 || (core === LEARNED && coreBudget === undefined)) return []
    const effect = given.length === 1 ? 'has no effect: it applies' : 'have no effect: they apply'
    return [`The ${given.join(' and the ')} ${effect} with the listing 'hybrid', and the listing is '${listing}'.`]
  }
  const problems: string[] = budgetProblem === undefined ? [] : [budgetProblem]
  if (core === undefined || core === LEARNED) return problems
  for (const pattern of [core].flat().map(String)) {
    if (pattern.startsWith('!')) continue
    const matching = await createCoreSet({ core: [pattern], coreBudget: 0 }, undefined)(view)
    if (matching.length === 0) problems.push(`No tool matches '${oneLine(pattern)}', so it adds nothing to the core.`)
  }
  return problems
}

/** Undefined if the budget has an effect. */
function budgetProblemOf(core: unknown): string | undefined {
  if (core === LEARNED) return undefined
  const why = core === undefined ? 'no core is set' : 'this core names its tools'
  return `The core budget has no effect: it limits a learned core, and ${why}.`
}
