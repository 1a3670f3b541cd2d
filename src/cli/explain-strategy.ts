// Why tools are shown as they are: the strategy, who chose it, what it comes to, and what each would cost.

import { join } from 'node:path'
import { openUsage } from '../crib/usage.ts'
import { createStrategy, type Surroundings } from '../disclosure/create-strategy.ts'
import { countListing } from '../disclosure/listing/tool-cost.ts'
import { listingFigures } from '../disclosure/listing-figures.ts'
import type { View } from '../disclosure/view.ts'
import { createFileStore } from '../storage/file.ts'
import type { ChosenStrategy } from './choose-strategy.ts'
import type { Environment } from './environment.ts'
import { columns, count, number } from './output/text.ts'

export interface Explanation {
  readonly strategy: string
  /** What it comes to, where it chooses between others. */
  readonly lists: string
  readonly reason: string
  readonly tools: number
  /** Of tools/list as it is. */
  readonly listTokens: number
  /** Of tools/list under each. */
  readonly tokens: Readonly<Record<string, number>>
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
    lists: choice?.strategy ?? chosen.strategy,
    reason: [chosen.reason, choice?.reason].filter(Boolean).join('; '),
    tools: view.visible.tools.length,
    listTokens: await countListing(listed),
    tokens: await listingFigures(view, surroundings),
  }
}

/** What tools/list costs under what was chosen. */
export async function chosenTokens(chosen: ChosenStrategy, view: View, environment: Environment): Promise<number> {
  const { strategy } = createStrategy(chosen.strategy, chosen.options, await surroundingsOf(environment))
  return countListing(await strategy.list(view))
}

/** As of a gateway that serves. */
async function surroundingsOf({ version, stateDir }: Environment): Promise<Surroundings> {
  await using store = createFileStore({ dir: join(stateDir, 'store') })
  return {
    hasContexts: false,
    builtins: false,
    keepsResults: true,
    server: { name: 'toolcrib', version },
    usage: await openUsage({ store }),
  }
}

export function explanationLines(explanation: Explanation): readonly string[] {
  const { strategy, lists, reason, tools, listTokens, tokens } = explanation
  const rows = Object.entries(tokens).map(([name, figure]) => [name, number(figure)])
  return [
    `Strategy: ${strategy}${lists === strategy ? '' : `, which lists as ${lists}`} (${reason})`,
    `Its list of tools costs ${count(listTokens, 'token')}, for ${count(tools, 'tool')}. Under each strategy:`,
    ...columns(rows).map((line) => `  ${line}`),
  ]
}
