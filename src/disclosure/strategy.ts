// The strategy seam: which tools a client is shown, and what the tools of the strategy itself do.

import type { z } from 'zod'
import { raise } from '../core/errors.ts'
import type { CommandResult } from '../core/result.ts'
import type { ListedTool } from '../core/tool.ts'
import { issuesOf } from '../core/validate.ts'
import type { View } from './view.ts'

/** What a strategy is told about the server it serves. */
export interface StrategyEnvironment {
  /** The prefix of the server's own tools, `afd` unless configured. */
  readonly prefix: string
  /** Whether the server has contexts, and so whether a call may name one. */
  readonly hasContexts: boolean
}

/** A tool of the strategy itself. */
export interface MetaTool {
  readonly listed: ListedTool
  /** Its `context` argument chooses the view it is called with. */
  readonly takesContext?: boolean
  call(args: unknown, view: View): Promise<CommandResult>
}

export interface Strategy {
  list(view: View): Promise<readonly ListedTool[]>
  /** They answer by name whether or not `list` shows them. */
  readonly metaTools: readonly MetaTool[]
  /** For strategies that list tools under names of their own; undefined where the name is none of them. */
  call?(name: string, args: unknown, view: View): Promise<CommandResult> | undefined
  /** How an agent finds and calls tools under this strategy, in a few lines. */
  readonly guide: string
}

export interface StrategyPlugin {
  readonly name: string
  create(options: unknown, environment: StrategyEnvironment): Strategy
}

export function defineStrategy<O extends z.ZodType>(plugin: {
  readonly name: string
  readonly options: O
  create(options: z.output<O>, environment: StrategyEnvironment): Strategy
}): StrategyPlugin {
  return {
    name: plugin.name,
    create(options, environment) {
      const parsed = plugin.options.safeParse(options ?? {})
      if (parsed.success) return plugin.create(parsed.data, environment)
      return raise('INVALID_OPTIONS', {
        what: `strategyOptions of '${plugin.name}'`,
        reason: issuesOf(parsed.error.issues, options)
          .map((issue) => issue.message)
          .join('; '),
        todo: 'Correct or leave out what is named.',
      })
    },
  }
}
