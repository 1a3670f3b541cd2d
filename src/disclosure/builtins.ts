// The strategies there are. A new one is a file and a line here.

import { grouped } from './grouped.ts'
import { individual } from './individual.ts'
import { lazy } from './lazy.ts'
import type { StrategyPlugin } from './strategy.ts'

export const strategies: ReadonlyMap<string, StrategyPlugin> = new Map(
  [individual, grouped, lazy].map((strategy) => [strategy.name, strategy]),
)
