// Describes the strategy of a running gateway for the control socket, and reads that description again.

import { isRecord } from '../../core/is-record.ts'
import type { Crib } from '../../crib/crib.ts'
import type { Choice } from '../../disclosure/strategy.ts'
import type { GatewayAnswer } from './ask-gateways.ts'

export interface StrategyState {
  readonly strategy: string
  readonly choice: Choice | null
  readonly strategyStats: Readonly<Record<string, unknown>>
}

export function strategyState(crib: Crib): StrategyState {
  return { strategy: crib.strategy.name, choice: crib.strategy.explain() ?? null, strategyStats: crib.strategy.stats() }
}

/** Reads the strategy from a reply. A gateway of another version may not send it. */
export function strategyStateIn({ reply }: GatewayAnswer): StrategyState | undefined {
  const { strategy, choice, strategyStats } = { ...reply } as Readonly<Record<string, unknown>> // checked below
  if (typeof strategy !== 'string') return undefined
  return {
    strategy,
    choice: isChoice(choice) ? choice : null,
    strategyStats: isRecord(strategyStats) ? strategyStats : {},
  }
}

function isChoice(value: unknown): value is Choice {
  return (
    isRecord(value) && typeof value.strategy === 'string' && typeof value.reason === 'string' && isRecord(value.tokens)
  )
}
