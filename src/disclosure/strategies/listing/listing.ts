// The part of tools/list after a strategy's own tools: all tools, all tools without schemas, some tools, or none.

import { z } from 'zod'
import type { Snapshot } from '../../../catalog/snapshot.ts'
import { defined } from '../../../core/defined.ts'
import { groupDigits } from '../../../core/text.ts'
import type { ListedTool, Tool } from '../../../core/tool.ts'
import { listInFull } from '../../listed.ts'
import { defineRunTool } from '../../run-tool.ts'
import type { Choice, MetaTool, Strategy, StrategyEnvironment, StrategyFlag, StrategyPlugin } from '../../strategy.ts'
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

/** The strategy of a listing. */
interface ListingOwner {
  /** The name of its tool that finds tools. */
  readonly find: string
  /** Its own tools, which come first in the listing. */
  ownTools(view: View): readonly ListedTool[]
}

/** The part of a strategy that depends on the listing. */
interface ToolListing extends Required<Pick<Strategy, 'list' | 'listsCatalog' | 'readsOn' | 'explain'>> {
  /** Meta-tools that answer in addition to the strategy's own. */
  readonly metaTools: readonly MetaTool[]
}

interface ToolCalls {
  /** The name of `invoke_tool`, if the listing of this caller shows it. */
  listedInvoker(view: View): Promise<string | undefined>
  /** Calls a tool through `invoke_tool` if the strategy has it, else by its name. */
  readonly task: StrategyTask['call']
  /** A sentence about calling tools, for the guide of the strategy. */
  readonly guide: string
}

/** `auto` strips schemas if that listing costs at most this many tokens. */
export const STRIPPED_BUDGET = 8_000
/** A listing of this many tools always has more bytes than the budget has tokens. */
const MANY_TOOLS = 130

/** The listing that `auto` chooses. */
type AutoMode = 'stripped' | 'hidden'

export function createListing(
  options: ToolListingOptions,
  environment: StrategyEnvironment,
  { find, ownTools }: ListingOwner,
): { readonly listing: ToolListing; readonly calls: ToolCalls } {
  const { listing, invoke = listing === 'auto' } = options
  const mayHide = listing !== 'full' && listing !== 'stripped'
  const invoker = mayHide && invoke ? createInvokeTool(environment, find) : undefined
  const invokers = invoker === undefined ? [] : [invoker]
  const builtins = createBuiltins(options.builtins, environment)
  const coreOf = createCoreSet(options, environment.usage)
  const costOf = createToolCost(listStripped)

  const choose = async (view: View): Promise<AutoMode> => {
    const { tools } = view.visible
    const others = [...ownTools(view), ...builtins.listed]
    // Most servers are small. A text never has more tokens than bytes, so a small listing is accepted without loading
    // the large token table.
    const isSmall =
      tools.length < MANY_TOOLS &&
      Buffer.byteLength(JSON.stringify([...others, ...tools.map(listStripped)])) <= STRIPPED_BUDGET
    if (isSmall) return 'stripped'
    const { isWithin } = await costOf(tools, STRIPPED_BUDGET - (await countListing(others)))
    return isWithin ? 'stripped' : 'hidden'
  }
  const known = new WeakMap<Snapshot, AutoMode>()
  let latest: Choice | undefined
  const modeFor = async (view: View) => {
    if (listing !== 'auto') return listing
    const { visible } = view
    const mode = known.get(visible) ?? (await choose(view))
    known.set(visible, mode)
    latest = toChoice(mode, visible.tools.length)
    return mode
  }
  const listTools = async (view: View): Promise<readonly ListedTool[]> => {
    const mode = await modeFor(view)
    const { tools } = view.visible
    if (mode === 'full') return tools.map(listInFull)
    if (mode === 'stripped') return tools.map(listStripped)
    const core = mode === 'hybrid' ? (await coreOf(view)).map(listInFull) : []
    return [...invokers.map(({ listed }) => listed), ...core]
  }
  const listedInvoker = async (view: View) => {
    if (invoker === undefined) return undefined
    const mode = await modeFor(view)
    return mode === 'hidden' || mode === 'hybrid' ? invoker.listed.name : undefined
  }
  return {
    listing: {
      metaTools: [...invokers, ...builtins.metaTools],
      listsCatalog: listing !== 'hidden',
      list: async (view) => [...ownTools(view), ...(await listTools(view)), ...builtins.listed],
      readsOn: async (view) => (await listedInvoker(view)) ?? builtins.runner,
      /** The latest choice of `auto`, for any caller. */
      explain: () => latest,
    },
    calls: {
      listedInvoker,
      task:
        invoker === undefined
          ? callsByName
          : (client, { id }, args) => client.call(INVOKE_TOOL, { tool: id, arguments: args }),
      guide: `Call the tool by its own name${invoker === undefined ? '' : `; ${INVOKE_TOOL}, if it is listed, runs tools that are not`}.`,
    },
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
  const list = tools === 1 ? '1 tool without its schema' : `${tools} tools without their schemas`
  return {
    strategy: mode,
    reason: `the list with ${list} costs ${bound} ${groupDigits(STRIPPED_BUDGET)} tokens`,
    tokens: {},
  }
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
