// The interface of strategies: which tools a client is shown, and what the strategy's own tools do.

import type { z } from 'zod'
import type { Caller, InvalidHint } from '../core/call.ts'
import { raise } from '../core/errors.ts'
import { parametersOf } from '../core/parameters/parameters.ts'
import { signature } from '../core/parameters/signature.ts'
import { isPlugin } from '../core/plugin.ts'
import type { CommandResult } from '../core/result.ts'
import { groupDigits, quoteList } from '../core/text.ts'
import type { ListedTool, Tool, ToolId } from '../core/tool.ts'
import { issuesOf } from '../core/validate.ts'
import type { Needs } from './needs.ts'
import type { StrategyTask } from './strategy-task.ts'
import type { View } from './view.ts'

/** Information about the server for a strategy. */
export interface StrategyEnvironment {
  /** The prefix of the server's own tools; the default is `afd`. */
  readonly prefix: string
  /** Whether the server has contexts, so that a call may name one. */
  readonly hasContexts: boolean
  /**
   * Whether this is a command server. The command tools (`afd-call` …) then answer under every strategy. `individual`
   * and `grouped` also list some of them, unless their own options say otherwise.
   */
  readonly builtins?: boolean
  /** The name and version of the server, for strategies that name tools after it. */
  readonly server?: { readonly name: string; readonly version: string }
  /** Whether results that are too long to send at once are cut and kept, so that callers can read more of them. */
  readonly keepsResults?: boolean
  /** Absent if calls are not counted. */
  readonly usage?: UsageProvider
}

/** Ranks tools by the number of calls; older calls count less. */
export interface UsageProvider {
  /**
   * The most used tools first. Called when a strategy is created, so that its listing does not change while it runs.
   * Never rejects.
   */
  top(limit: number): readonly ToolId[] | Promise<readonly ToolId[]>
}

/** The listing that a strategy chose, and the reason. */
export interface Choice {
  /** The chosen listing: the name of a strategy, or a listing mode such as `stripped`. */
  readonly strategy: string
  /** Why it was chosen, as part of a sentence. */
  readonly reason: string
  /** The cost of tools/list under each strategy that was counted completely. */
  readonly tokens: Readonly<Record<string, number>>
}

/** How clients of a strategy find and inspect tools. Errors use it to name the next step. */
export interface Hints {
  /** The word that errors use for a tool. */
  readonly noun: 'command' | 'tool'
  /** The call that finds tools, as errors name it: such as `search_tools`, or `tools/list` if it shows every tool. */
  readonly find: string
  /** The name of the tool that lists the servers, if there are several. */
  readonly servers?: string
  /** The name under which clients know a tool. */
  nameOf(tool: Tool): string
  /** The hint for invalid arguments, and details about valid ones. */
  invalid(tool: Tool): InvalidHint
}

/** A tool of the strategy itself. */
export interface MetaTool {
  /** The tool as `tools/list` shows it. */
  readonly listed: ListedTool
  /** The sources that a call with these arguments waits for while their tools are unknown. Absent: none. */
  needs?(args: unknown): Needs
  /** The `context` argument selects the view of the call. */
  readonly takesContext?: boolean
  /** Its answers describe tools or help to choose one, so their tokens are a cost of disclosure. */
  readonly findsTools?: boolean
  /** Answers a call with these arguments, which are not checked yet. */
  call(args: unknown, view: View): Promise<CommandResult>
}

/** Decides which tools a client lists, and adds tools of its own. */
export interface Strategy {
  /**
   * The tools that `tools/list` returns to the caller of this view: the same tools in the same order for the same
   * visible tools.
   */
  list(view: View): Promise<readonly ListedTool[]>
  /** The tools of the strategy itself. They can be called by name even if `list` does not show them. */
  readonly metaTools: readonly MetaTool[]
  /**
   * Handles a call by a name that is not a meta-tool, such as the name of a group. If it returns undefined, the tool
   * with this name is called directly.
   */
  call?(name: string, args: unknown, view: View): Promise<CommandResult> | undefined
  /** Listed names that are not tools, such as groups that this caller sees. Suggested for misspelt names. */
  ownNames?(view: View): readonly string[]
  /** A few lines that explain how an agent finds and calls tools under this strategy. */
  readonly guide: string
  /** The listing explains itself, so the guide is not sent to clients at the start. */
  readonly isSelfEvident?: boolean
  /** The hints for all callers, or a function that returns those for one caller. Default: the hints of a command server. */
  readonly hints?: Hints | ((caller: Caller) => Hints)
  /** The listing shows tools of the catalog, so it waits a moment for sources with unknown tools. */
  readonly listsCatalog?: boolean
  /** Every caller has its own listing, which its calls change. */
  readonly isPersonal?: boolean
  /**
   * The part of a caller that the listing depends on, as a key. Absent: callers that see the same tools get the same
   * listing.
   */
  audienceOf?(caller: Caller): string
  /**
   * For strategies that choose between listings: returns the choice for this caller, or the latest choice if no caller
   * is given or if choices are not kept by caller. Undefined before the first listing.
   */
  explain?(caller?: Caller): Choice | undefined
  /**
   * The name of the listed tool that reads the next part of a cut result for this caller, with `handle` and `offset`.
   * If it is absent or returns undefined, results are not cut.
   */
  readsOn?(view: View): string | undefined | Promise<string | undefined>
  /** How an agent finds, inspects and calls a tool. The tests and the token benchmark run it. */
  readonly task?: StrategyTask
  /** Counters of the strategy. */
  stats?(): Readonly<Record<string, unknown>>
}

/** A flag of the command line for an option of the strategy. Its name is the name of the option in kebab case. */
export interface StrategyFlag {
  /** `list`: names or patterns, separated by commas. `switch`: a flag without a value. */
  readonly kind: 'text' | 'list' | 'number' | 'switch'
  /** The help text of the flag. */
  readonly about: string
}

/** A strategy that can be chosen by its name. `Options` is the schema of its options. */
export interface StrategyPlugin<Name extends string = string, Options extends z.ZodObject = z.ZodObject> {
  /** The name that settings and flags use. */
  readonly name: Name
  /** The schema of the options. */
  readonly options: Options
  /** The names of the options. */
  readonly optionNames: readonly string[]
  /** The flags, by option. Options that are functions, records or sentences have no flag. */
  readonly flags: Readonly<Record<string, StrategyFlag>>
  /** The options under which the listing is measured and tested. The key follows the name of the strategy in tables. */
  readonly variants: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Makes the strategy of one server. Raises INVALID_OPTIONS if the options do not match the schema. */
  create(options: unknown, environment: StrategyEnvironment): Strategy
}

/** The options of `defineStrategy`. */
export interface StrategyDefinition<Name extends string, O extends z.ZodObject> {
  /** The name that settings and flags use. */
  readonly name: Name
  /** The schema of `strategyOptions`. With defaults for all fields, users can leave the options out. */
  readonly options: O
  /** Flags for `toolcrib serve` and `toolcrib wrap`. Only built-in strategies use them. */
  readonly flags?: Partial<Readonly<Record<keyof z.output<O>, StrategyFlag>>>
  /** Default: one variant with the default options. */
  readonly variants?: StrategyPlugin['variants']
  /** Makes the strategy of one server, from options that match the schema. */
  create(options: z.output<O>, environment: StrategyEnvironment): Strategy
}

/**
 * Defines a strategy. `createMcpServer`, `wrapServer` and a config in code accept it.
 *
 * @example
 * ```ts
 * const everything = defineStrategy({
 *   name: 'everything',
 *   options: z.strictObject({}),
 *   create: () => ({
 *     metaTools: [],
 *     list: async (view) =>
 *       view.visible.tools.map(({ listedName, description, inputSchema }) => ({ name: listedName, description, inputSchema })),
 *     guide: 'All tools are listed.',
 *   }),
 * })
 * ```
 */
export function defineStrategy<const Name extends string, O extends z.ZodObject>(
  plugin: StrategyDefinition<Name, O>,
): StrategyPlugin<Name, O> {
  const names = Object.keys(plugin.options.shape)
  return {
    name: plugin.name,
    options: plugin.options,
    optionNames: names,
    flags: flagsOf(plugin.flags),
    variants: plugin.variants ?? { '': {} },
    create(options, environment) {
      const parsed = plugin.options.safeParse(options ?? {})
      if (parsed.success) return plugin.create(parsed.data, environment)
      return raise('INVALID_OPTIONS', {
        what: `strategyOptions of '${plugin.name}'`,
        reason: issuesOf(parsed.error.issues, options)
          .map((issue) => issue.message)
          .join('; '),
        todo: `${describeOptions(names)}: correct or leave out the fields that the message names.`,
      })
    },
  }
}

/**
 * Every strategy accepts `prefix`. It replaces `afd` in the names of the server's own tools, unless the strategy itself
 * defines an option of this name.
 */
function describeOptions(names: readonly string[]): string {
  const accepted = [...new Set([...names, 'prefix'])]
  return `${accepted.length === 1 ? 'Its only option is' : 'Its options are'} ${quoteList(accepted, accepted.length)}`
}

export function isStrategyPlugin(value: unknown): value is StrategyPlugin {
  return isPlugin(value, 'create')
}

function flagsOf(flags: Readonly<Record<string, StrategyFlag | undefined>> = {}): StrategyPlugin['flags'] {
  return Object.fromEntries(Object.entries(flags).flatMap(([name, flag]) => (flag === undefined ? [] : [[name, flag]])))
}

/** The log line about the listing that a strategy has chosen. */
export function choiceLine(strategy: string, { strategy: chosen, reason, tokens }: Choice): string {
  const figures = Object.entries(tokens).map(([name, figure]) => `${name} ${groupDigits(figure)}`)
  return `${strategy} lists as ${chosen}: ${reason}${figures.length === 0 ? '' : ` (tokens: ${figures.join(', ')})`}`
}

/** The hints of a command server, for strategies without hints of their own. */
export function commandHints(prefix: string): Hints {
  return {
    noun: 'command',
    find: `${prefix}-discover`,
    nameOf: ({ listedName }) => listedName,
    invalid: ({ listedName, inputSchema }) => ({
      hint: `Call ${prefix}-detail with command '${listedName}' to see the expected input schema.`,
      details: { expected: signature(listedName, inputSchema) },
    }),
  }
}

/** Hints of a command server that lists its call tool, but not discover and detail. The call tool also runs these. */
export function callToolHints(prefix: string): Hints {
  const hints = commandHints(prefix)
  return {
    ...hints,
    find: `${prefix}-call with command '${prefix}-discover'`,
    invalid: (tool) => ({
      ...hints.invalid(tool),
      hint: `Correct the input to fit \`details.expected\` and call again. ${prefix}-call with command '${prefix}-detail' and input ${JSON.stringify({ command: tool.listedName })} returns the whole schema.`,
    }),
  }
}

/**
 * The hints for strategies that describe tools by parameters: correct the call, or ask for the schema. `ask` gives the
 * call that returns the schema of a tool. `nameOf` gives the name that clients know, by default the listed name.
 */
export function parameterHints(
  find: string,
  ask?: (name: string) => string,
  nameOf: Hints['nameOf'] = ({ listedName }) => listedName,
): Hints {
  return {
    noun: 'tool',
    find,
    nameOf,
    invalid: (tool) => ({
      hint: `Correct the arguments to fit \`details.parameters\` and call again.${ask === undefined ? '' : ` ${ask(nameOf(tool))} for the whole schema.`}`,
      details: { ...parametersOf(tool.inputSchema) },
    }),
  }
}
