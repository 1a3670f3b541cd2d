// All strategies. A new one needs a file and a line here.

import type { StrategyPlugin } from '../strategy.ts'
import { auto } from './auto/auto.ts'
import { capabilities } from './capabilities/capabilities.ts'
import { categories } from './categories/categories.ts'
import { gateway } from './gateway/gateway.ts'
import { grouped } from './grouped.ts'
import { individual } from './individual.ts'
import { lazy } from './lazy.ts'
import { manage } from './manage/manage.ts'

export const strategies: ReadonlyMap<string, StrategyPlugin> = new Map(
  [individual, grouped, lazy, gateway, manage, categories, capabilities, auto].map((strategy) => [
    strategy.name,
    strategy,
  ]),
)
