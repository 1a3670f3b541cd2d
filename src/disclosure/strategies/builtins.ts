// All strategies of this package, and the types of their options. A new strategy needs a file and a line here.

import type { z } from 'zod'
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

export const strategies: ReadonlyMap<string, StrategyPlugin> = new Map(
  builtins.map((strategy): [string, StrategyPlugin] => [strategy.name, strategy]),
)

/** The options of each of these strategies, by its name. */
type OptionsByName = { readonly [S in (typeof builtins)[number] as S['name']]: OptionsIn<S['options']> }

/** The options that fit a schema. If the fields of the schema are not known at compile time, all options fit. */
export type OptionsIn<O extends z.ZodObject> = string extends keyof O['shape']
  ? Readonly<Record<string, unknown>>
  : OwnOptions<z.input<O>> & {
      /** The prefix of the tools of the server itself, such as `afd` in `afd-call`. */
      readonly prefix?: string
    }

/** zod's type of an object without fields forbids every field, including `prefix`. */
type OwnOptions<I> = string extends keyof I ? ([I[keyof I]] extends [never] ? unknown : Readonly<I>) : Readonly<I>

/** The name of a built-in strategy. */
export type StrategyName = keyof OptionsByName

/** The options of one strategy, or of any strategy. */
export type StrategyOptions<Name extends StrategyName = StrategyName> = OptionsByName[Name]

/**
 * The two fields that choose a strategy: `Key` names it, and `strategyOptions` has only options of that strategy.
 * `Default` are the strategies that may be used if the name is absent. `Own` is the schema of the options of a strategy
 * that `defineStrategy` returned.
 */
export type StrategySelection<Key extends string, Default extends StrategyName, Own extends z.ZodObject = z.ZodObject> =
  | {
      readonly [Name in StrategyName]: { readonly [K in Key]: Name } & {
        readonly strategyOptions?: StrategyOptions<Name>
      }
    }[StrategyName]
  | ({ readonly [K in Key]: StrategyPlugin<string, Own> } & { readonly strategyOptions?: OptionsIn<NoInfer<Own>> })
  | ({ readonly [K in Key]?: undefined } & { readonly strategyOptions?: StrategyOptions<Default> })
