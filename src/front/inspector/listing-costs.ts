// Counts the tokens of tools/list under each strategy, for the tools of one caller, in the background.

import { atMost } from '../../core/waiting.ts'
import type { View } from '../../disclosure/view.ts'
import type { InspectorCost } from './api.ts'
import type { ComparedStrategies, ComparedStrategy } from './compared-strategies.ts'
import { MAX_WHOLE, type TokenCosts } from './token-costs.ts'

interface ListingCosts {
  /** Resolves with the costs that are counted so far, after `waitMs` at the latest. */
  of(view: View, waitMs: number): Promise<CountedCosts>
}

interface CountedCosts {
  readonly costs: readonly InspectorCost[]
  readonly isCounting: boolean
}

interface Counting {
  readonly costs: Map<string, number>
  readonly counted: Promise<void>
  isDone: boolean
}

/** With more tools, some strategies are not compared; see `takesLong`. */
const MAX_COMPARED_TOOLS = 5_000

/** The strategy that lists every tool with its schema. */
const EVERYTHING = 'individual'

export function createListingCosts(
  strategies: ComparedStrategies,
  tokens: TokenCosts,
  onError: (error: unknown) => void,
): ListingCosts {
  // All later requests use a count, so it does not end with the request that started it. This signal never aborts.
  const { signal } = new AbortController()
  /** The costs by visible tools, so that callers with the same rights share them. */
  const known = new WeakMap<View['visible'], Counting>()

  const costOf = async (name: string, view: View): Promise<number | undefined> => {
    const compared = strategies.create(name, signal)
    const { tools } = view.visible
    if (compared !== undefined && takesLong(compared, tools.length)) return undefined
    if (name === EVERYTHING && compared?.isCurrent === false && tools.length > MAX_WHOLE) return tokens.ofAll(tools)
    return compared === undefined ? undefined : tokens.countListing(await compared.list(view))
  }
  /** True if each caller has its own listing. Such a listing is short, so it is counted for each request. */
  const isPersonal = (name: string) => strategies.create(name, signal)?.strategy.isPersonal === true

  const start = (view: View): Counting => {
    const costs = new Map<string, number>()
    const countAll = async () => {
      await tokens.count(view.visible.tools)
      for (const name of strategies.names.filter((one) => !isPersonal(one))) {
        const cost = await costOf(name, view)
        if (cost !== undefined) costs.set(name, cost)
      }
    }
    const counting: Counting = {
      costs,
      isDone: false,
      counted: countAll()
        .catch(onError)
        .then(() => {
          counting.isDone = true
        }),
    }
    return counting
  }
  return {
    async of(view, waitMs) {
      const counting = known.get(view.visible) ?? start(view)
      known.set(view.visible, counting)
      await atMost(waitMs, counting.counted)
      const costs: InspectorCost[] = []
      for (const name of strategies.names) {
        const cost = isPersonal(name) ? await costOf(name, view) : counting.costs.get(name)
        if (cost === undefined) continue
        const isCurrent = name === strategies.current
        costs.push({ strategy: name, tokens: cost, isCurrent, ...(name === EVERYTHING ? { isEverything: true } : {}) })
      }
      return { costs, isCounting: !counting.isDone }
    },
  }
}

/** A listing that describes thousands of tools is made in one step, which would block calls of clients. */
function takesLong({ name, isCurrent, strategy }: ComparedStrategy, tools: number): boolean {
  return name !== EVERYTHING && !isCurrent && strategy.listsCatalog === true && tools > MAX_COMPARED_TOOLS
}
