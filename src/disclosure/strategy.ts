// The strategy seam: which tools a client is shown, and what the tools of the strategy itself do.

import type { z } from 'zod'
import type { Caller } from '../core/call.ts'
import { raise } from '../core/errors.ts'
import type { CommandResult } from '../core/result.ts'
import { quoteList } from '../core/text.ts'
import type { ListedTool, Tool, ToolId } from '../core/tool.ts'
import { issuesOf } from '../core/validate.ts'
import type { Needs } from './needs.ts'
import type { View } from './view.ts'

/** What a strategy is told about the server it serves. */
export interface StrategyEnvironment {
  /** The prefix of the server's own tools, `afd` unless configured. */
  readonly prefix: string
  /** Whether the server has contexts, and so whether a call may name one. */
  readonly hasContexts: boolean
  /** Whether the command tools (`afd-call` …) stand beside listed tools where the strategy's own options do not say. */
  readonly builtins?: boolean
  /** What the server is called, for strategies that name tools after it. */
  readonly server?: { readonly name: string; readonly version: string }
  /** Whether results that are too long to send at once are cut and kept, for whoever reads on. */
  readonly keepsResults?: boolean
  /** Left out where nobody counts calls. */
  readonly usage?: UsageProvider
}

/** Which tools are called most, older calls counting less. */
export interface UsageProvider {
  /** Most used first; asked when a strategy is created, so that what it shows does not shift while it runs. Never rejects. */
  top(limit: number): readonly ToolId[] | Promise<readonly ToolId[]>
}

/** Which of several ways to list tools was chosen, and why. */
export interface Choice {
  readonly strategy: string
  readonly reason: string
  /** The cost of tools/list under each strategy that was counted to the end. */
  readonly tokens: Readonly<Record<string, number>>
}

export interface InvalidHint {
  readonly hint: string
  readonly details: Readonly<Record<string, unknown>>
}

/** How clients of a strategy find and inspect tools: what errors tell them to do next. */
export interface Hints {
  /** Whether errors speak of the commands of one server or of the tools of many. */
  readonly noun: 'command' | 'tool'
  /** The tool that finds others. */
  readonly find: string
  /** The tool that lists the servers, where there are many. */
  readonly servers?: string
  /** What they call a tool. */
  nameOf(tool: Tool): string
  /** What to do about arguments that do not fit, and what to show of those that would. */
  invalid(tool: Tool): InvalidHint
}

/** A tool of the strategy itself. */
export interface MetaTool {
  readonly listed: ListedTool
  /** The sources that a call with these arguments waits for, as long as their tools are not known. Left out: none. */
  needs?(args: unknown): Needs
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
  /** Those names, as this caller sees them: one of them may be meant by a name that nobody has. */
  ownNames?(view: View): readonly string[]
  /** How an agent finds and calls tools under this strategy, in a few lines. */
  readonly guide: string
  /** Its listing says the same: clients are not told at the start. */
  readonly isSelfEvident?: boolean
  /** Left out: those of the command tools. */
  readonly hints?: Hints
  /** Its listing shows what the catalog holds, so it waits a moment for sources of which nothing is known. */
  readonly listsCatalog?: boolean
  /** Every caller has a listing of its own, which its calls change. */
  readonly isPersonal?: boolean
  /** What of a caller its listing depends on besides; left out: nothing. */
  audienceOf?(caller: Caller): string
  /** For strategies that choose between others: what was chosen for this caller; undefined before the first listing. */
  explain?(caller?: Caller): Choice | undefined
  /** The listed tool with which this caller reads on in a result that was cut; without one, nothing is cut. */
  readsOn?(view: View): string | undefined | Promise<string | undefined>
  /** What it counts of its own work. */
  stats?(): Readonly<Record<string, unknown>>
}

export interface StrategyPlugin {
  readonly name: string
  readonly optionNames: readonly string[]
  create(options: unknown, environment: StrategyEnvironment): Strategy
}

export function defineStrategy<O extends z.ZodObject>(plugin: {
  readonly name: string
  readonly options: O
  create(options: z.output<O>, environment: StrategyEnvironment): Strategy
}): StrategyPlugin {
  const names = Object.keys(plugin.options.shape)
  return {
    name: plugin.name,
    optionNames: names,
    create(options, environment) {
      const parsed = plugin.options.safeParse(options ?? {})
      if (parsed.success) return plugin.create(parsed.data, environment)
      return raise('INVALID_OPTIONS', {
        what: `strategyOptions of '${plugin.name}'`,
        reason: issuesOf(parsed.error.issues, options)
          .map((issue) => issue.message)
          .join('; '),
        todo:
          names.length === 0
            ? 'It has no options: leave them out.'
            : `Its options are ${quoteList(names, names.length)}: correct or leave out what is named.`,
      })
    },
  }
}
