// Why tools are shown as they are: the strategy, who chose it, what it comes to, and what each would cost.

import { join } from 'node:path'
import { openUsage } from '../crib/usage.ts'
import { createStrategy, type StrategyEnvironmentInput } from '../disclosure/create-strategy.ts'
import { countListing } from '../disclosure/listing/tool-cost.ts'
import { listingFigures } from '../disclosure/listing-figures.ts'
import type { View } from '../disclosure/view.ts'
import { createFileStore } from '../storage/file.ts'
import type { ChosenStrategy } from './choose-strategy.ts'
import type { Environment } from './environment.ts'
import { columns, count, number, wrap } from './output/text.ts'
import { coreProblems } from './strategy-core.ts'
import { optionWords } from './strategy-flags.ts'

export interface Explanation {
  readonly strategy: string
  /** As they were given; the rest is as it is by default. */
  readonly options: Readonly<Record<string, unknown>>
  /** What it comes to, where it chooses between others. */
  readonly lists: string
  readonly reason: string
  readonly tools: number
  /** Of tools/list as it is. */
  readonly listTokens: number
  /** The cost of tools/list under each strategy. The key names the options that differ from the default. */
  readonly tokens: Readonly<Record<string, number>>
  /** Options that do not do what they seem to. */
  readonly problems: readonly string[]
}

export async function explainStrategy(
  chosen: ChosenStrategy,
  view: View,
  environment: Environment,
): Promise<Explanation> {
  const surroundings = await surroundingsOf(environment)
  const { strategy } = createStrategy(chosen.strategy, chosen.options, surroundings)
  const listed = await strategy.list(view)
  const choice = strategy.explain?.(view.caller)
  return {
    strategy: chosen.strategy,
    options: chosen.options,
    lists: choice?.strategy ?? chosen.strategy,
    reason: [chosen.reason, choice?.reason].filter(Boolean).join('; '),
    tools: view.visible.tools.length,
    listTokens: await countListing(listed),
    tokens: await listingFigures(view, surroundings),
    problems: await coreProblems(chosen.options, chosen.strategy !== 'lazy', view),
  }
}

/** What tools/list costs under what was chosen. */
export async function chosenTokens(chosen: ChosenStrategy, view: View, environment: Environment): Promise<number> {
  const { strategy } = createStrategy(chosen.strategy, chosen.options, await surroundingsOf(environment))
  return countListing(await strategy.list(view))
}

/** As of a gateway that serves. */
async function surroundingsOf({ version, stateDir }: Environment): Promise<StrategyEnvironmentInput> {
  await using store = createFileStore({ dir: join(stateDir, 'store') })
  return {
    hasContexts: false,
    builtins: false,
    keepsResults: true,
    server: { name: 'toolcrib', version },
    usage: await openUsage({ store }),
  }
}

export function explanationLines(explanation: Explanation, width: number): readonly string[] {
  const { strategy, options, lists, reason, tools, listTokens, tokens, problems } = explanation
  const rows = Object.entries(tokens).map(([name, figure]) => [name, number(figure)])
  const named = [strategy, ...optionWords(options)].join(', ')
  const told = [
    `Strategy: ${named}${lists === strategy ? '' : `, which lists as ${lists}`} (${reason})`,
    ...problems,
    `Its list of tools costs ${count(listTokens, 'token')}, for ${count(tools, 'tool')}. Each strategy, with these options and defaults for the others:`,
  ]
  return [...told.flatMap((line) => wrap(line, width)), ...columns(rows).map((line) => `  ${line}`)]
}
