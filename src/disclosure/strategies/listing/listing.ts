// The part of tools/list after a strategy's own tools: all tools, all tools without schemas, some tools, or none.

import { z } from 'zod'
import type { Snapshot } from '../../../catalog/snapshot.ts'
import { defined } from '../../../core/defined.ts'
import type { ListedTool, Tool } from '../../../core/tool.ts'
import { listInFull } from '../../listed.ts'
import { defineRunTool } from '../../run-tool.ts'
import type { Choice, MetaTool, StrategyEnvironment, StrategyFlag, StrategyPlugin } from '../../strategy.ts'
import { callsByName, type StrategyTask } from '../../strategy-task.ts'
import type { View } from '../../view.ts'
import { createAfdTools } from '../afd/afd-tools.ts'
import { coreBudgetOption, coreFlags, coreOption, createCoreSet, LEARNED } from './core-set.ts'
import { countListing, createToolCost } from './tool-cost.ts'

/** The options of a listing, to be spread into the options of a strategy. */
export const listingShape = {
  listing: z.enum(['auto', 'full', 'stripped', 'hidden', 'hybrid']).default('auto'),
  /** Lists `invoke_tool` under `hidden` and `hybrid`. Default: only if `auto` chose to hide tools. */
  invoke: z.boolean().optional(),
  core: coreOption.default(LEARNED),
  coreBudget: coreBudgetOption,
  /** Also lists the call, batch and pipe tools. */
  builtins: z.boolean().default(false),
}

export const builtinsFlag: StrategyFlag = { kind: 'switch', about: 'also list afd-call, afd-batch and afd-pipe' }

/** The flags of these options. */
export const listingFlags: Readonly<Record<keyof typeof listingShape, StrategyFlag>> = {
  listing: { kind: 'text', about: 'which tools are listed: auto, full, stripped, hidden or hybrid' },
  invoke: { kind: 'switch', about: 'list invoke_tool, which runs hidden tools' },
  ...coreFlags,
  builtins: builtinsFlag,
}

/** Most models can call only listed tools, so hidden tools are measured with `invoke_tool`. */
export const listingVariants: StrategyPlugin['variants'] = {
  stripped: { listing: 'stripped' },
  'hidden invoke': { listing: 'hidden', invoke: true },
  'hybrid invoke': { listing: 'hybrid', invoke: true },
}

type ToolListingOptions = z.output<z.ZodObject<typeof listingShape>>

interface ToolListing {
  /** Meta-tools that answer in addition to the strategy's own. */
  readonly metaTools: readonly MetaTool[]
  /** The tool that runs unlisted tools, if there is one. */
  readonly invoker: MetaTool | undefined
  readonly listsCatalog: boolean
  /** The invoker, if the listing of this caller shows it. */
  listedInvoker(own: readonly ListedTool[], view: View): Promise<MetaTool | undefined>
  /** For `readsOn` of a strategy: the name of the listed tool that reads the next part of a cut result. */
  readToolFor(own: readonly ListedTool[], view: View): Promise<string | undefined>
  /** The strategy's own tools, followed by the rest of the listing. */
  list(own: readonly ListedTool[], view: View): Promise<readonly ListedTool[]>
  /** Calls a tool with the invoker if there is one, else by its name. */
  readonly callTask: StrategyTask['call']
  /** The latest choice of `auto`, for any caller. */
  explain(): Choice | undefined
}

/** `auto` strips schemas if that listing costs at most this many tokens. */
export const STRIPPED_BUDGET = 8_000
/** A listing of this many tools always has more bytes than the budget has tokens. */
const MANY_TOOLS = 130

/** The listing that `auto` chooses. */
type AutoMode = 'stripped' | 'hidden'

/** `find` is the strategy's tool that finds tools. */
export function createListing(
  options: ToolListingOptions,
  environment: StrategyEnvironment,
  find: string,
): ToolListing {
  const { listing, invoke = listing === 'auto' } = options
  const mayHide = listing !== 'full' && listing !== 'stripped'
  const invoker = mayHide && invoke ? createInvokeTool(environment, find) : undefined
  const invokers = invoker === undefined ? [] : [invoker]
  const builtins = createBuiltins(options.builtins, environment)
  const coreOf = createCoreSet(options, environment.usage)
  const costOf = createToolCost(listStripped)

  const choose = async (own: readonly ListedTool[], { tools }: Snapshot): Promise<AutoMode> => {
    const others = [...own, ...builtins.listed]
    // Most servers are small. A text never has more tokens than bytes, so a small listing is accepted without loading
    // the large token table.
    const bytes =
      tools.length < MANY_TOOLS ? bytesOf([...others, ...tools.map(listStripped)]) : Number.POSITIVE_INFINITY
    if (bytes <= STRIPPED_BUDGET) return 'stripped'
    const ownTokens = await countListing(others)
    const { isWithin } = await costOf(tools, STRIPPED_BUDGET - ownTokens)
    return isWithin ? 'stripped' : 'hidden'
  }
  const known = new WeakMap<Snapshot, AutoMode>()
  let latest: { readonly mode: AutoMode; readonly tools: number } | undefined
  const modeFor = async (own: readonly ListedTool[], { visible }: View) => {
    if (listing !== 'auto') return listing
    const mode = known.get(visible) ?? (await choose(own, visible))
    known.set(visible, mode)
    latest = { mode, tools: visible.tools.length }
    return mode
  }
  const listTools = async (mode: Exclude<typeof listing, 'auto'>, view: View): Promise<readonly ListedTool[]> => {
    const { tools } = view.visible
    if (mode === 'full') return tools.map(listInFull)
    if (mode === 'stripped') return tools.map(listStripped)
    const core = mode === 'hybrid' ? (await coreOf(view)).map(listInFull) : []
    return [...invokers.map(({ listed }) => listed), ...core]
  }
  const listedInvoker = async (own: readonly ListedTool[], view: View) => {
    if (invoker === undefined) return undefined
    const mode = await modeFor(own, view)
    return mode === 'hidden' || mode === 'hybrid' ? invoker : undefined
  }
  return {
    metaTools: [...invokers, ...builtins.metaTools],
    invoker,
    listsCatalog: listing !== 'hidden',
    listedInvoker,
    readToolFor: async (own, view) => (await listedInvoker(own, view))?.listed.name ?? builtins.runner,
    async list(own, view) {
      const mode = await modeFor(own, view)
      return [...own, ...(await listTools(mode, view)), ...builtins.listed]
    },
    callTask:
      invoker === undefined
        ? callsByName
        : (client, { id }, args) => client.call(invoker.listed.name, { tool: id, arguments: args }),
    explain: () => (latest === undefined ? undefined : toChoice(latest.mode, latest.tools)),
  }
}

interface Builtins {
  /** The five afd tools, or none. */
  readonly metaTools: readonly MetaTool[]
  /** Three of them are listed: call, batch and pipe. */
  readonly listed: readonly ListedTool[]
  /** The name of the call tool. */
  readonly runner: string | undefined
  /** One line about the listed tools. */
  readonly guide: readonly string[]
}

export function createBuiltins(isWanted: boolean, environment: StrategyEnvironment): Builtins {
  if (!isWanted) return { metaTools: [], listed: [], runner: undefined, guide: [] }
  const tools = createAfdTools(environment)
  const listed = [tools.call.listed, tools.batch.listed, tools.pipe.listed]
  const [call, batch, pipe] = listed.map(({ name }) => name)
  const guide = `${call} runs any command by its full name; ${batch} runs several; ${pipe} passes output from one to the next.`
  return { metaTools: tools.all, listed, runner: call, guide: [guide] }
}

function toChoice(mode: AutoMode, tools: number): Choice {
  const bound = mode === 'stripped' ? 'at most' : 'more than'
  const toolsCost = tools === 1 ? '1 tool without its schema costs' : `${tools} tools without their schemas cost`
  return { strategy: mode, reason: `${toolsCost} ${bound} ${STRIPPED_BUDGET} tokens`, tokens: {} }
}

function bytesOf(tools: readonly ListedTool[]): number {
  return Buffer.byteLength(JSON.stringify(tools))
}

/** The tool without its schema. The arguments are still validated at the call. */
function listStripped(tool: Tool): ListedTool {
  const { name, title, description, annotations } = listInFull(tool)
  return defined({ name, title, description, inputSchema: { type: 'object' }, annotations })
}

const INVOKE_TOOL = 'invoke_tool'

/**
 * The meta-tool invoke_tool: runs a tool by its name, for models that can call only listed tools. `find` is the
 * strategy's tool that finds tools.
 */
export function createInvokeTool(environment: StrategyEnvironment, find: string): MetaTool {
  return defineRunTool(environment, {
    name: INVOKE_TOOL,
    description: 'Run a tool by name, with arguments that fit its schema.',
    toolField: 'tool',
    inputField: 'arguments',
    find,
    async run(tool, args, view) {
      // Some models call the strategy's own tools through invoke_tool.
      const own = tool === INVOKE_TOOL ? undefined : view.callMetaTool(tool, args)
      return own ?? view.deliver(await view.invoke(tool, args))
    },
  })
}
