// All strategies of this package. A new one needs a file and a line here.

import type { StrategyPlugin } from '../strategy.ts'
import { auto } from './auto/auto.ts'
import { capabilities } from './capabilities/capabilities.ts'
import { categories } from './categories/categories.ts'
import { gateway } from './gateway/gateway.ts'
import { grouped } from './grouped.ts'
import { individual } from './individual.ts'
import { lazy } from './lazy.ts'
import { manage } from './manage/manage.ts'

const builtins = [individual, grouped, lazy, gateway, manage, categories, capabilities, auto] as const

/** The names and options of these strategies. `strategy-selection.ts` derives the types of the public API from it. */
export type BuiltinStrategy = (typeof builtins)[number]

export const strategies: ReadonlyMap<string, StrategyPlugin> = new Map(
  builtins.map((strategy): [string, StrategyPlugin] => [strategy.name, strategy]),
)
