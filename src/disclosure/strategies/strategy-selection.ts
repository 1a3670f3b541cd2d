// The types that connect the name of a strategy with its options, for editors and the compiler.

import type { z } from 'zod'
import type { StrategyPlugin } from '../strategy.ts'
import type { BuiltinStrategy } from './builtins.ts'

/** The options of each strategy in `builtins.ts`, by its name. */
type OptionsByName = {
  readonly [S in BuiltinStrategy as S['name']]: OwnOptions<S['options']> & {
    /** The prefix of the tools of the server itself, such as `afd` in `afd-call`. */
    readonly prefix?: string
  }
}

/** zod describes an object without fields as one that forbids every field, also `prefix`. */
type OwnOptions<O extends z.ZodObject> = string extends keyof z.input<O> ? unknown : Readonly<z.input<O>>

/** The name of a strategy. */
export type StrategyName = keyof OptionsByName

/** The options of one strategy, or of any strategy. */
export type StrategyOptions<Name extends StrategyName = StrategyName> = OptionsByName[Name]

/**
 * The two fields that choose a strategy: `Key` names it, and `strategyOptions` has only options of that strategy.
 * `Default` are the strategies that may be used if the name is absent.
 */
export type StrategySelection<Key extends string, Default extends StrategyName> =
  | {
      readonly [Name in StrategyName]: { readonly [K in Key]: Name } & {
        readonly strategyOptions?: StrategyOptions<Name>
      }
    }[StrategyName]
  | ({ readonly [K in Key]: StrategyPlugin } & { readonly strategyOptions?: Readonly<Record<string, unknown>> })
  | ({ readonly [K in Key]?: undefined } & { readonly strategyOptions?: StrategyOptions<Default> })
