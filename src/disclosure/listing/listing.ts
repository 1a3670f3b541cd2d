// What stands in tools/list beside a strategy's own tools: everything, everything without schemas, some of it, nothing.

import { z } from 'zod'
import type { Snapshot } from '../../catalog/snapshot.ts'
import type { ListedTool, Tool } from '../../core/tool.ts'
import { createAfdTools } from '../afd/afd-tools.ts'
import { listInFull } from '../listed.ts'
import type { Choice, MetaTool, StrategyEnvironment } from '../strategy.ts'
import type { View } from '../view.ts'
import { coreBudgetOption, coreOption, createCoreSet, LEARNED } from './core-set.ts'
import { createInvokeTool } from './invoke-tool.ts'
import { countListing, createToolCost } from './tool-cost.ts'

/** The options of a listing, to be spread into those of a strategy. */
export const listingShape = {
  listing: z.enum(['auto', 'full', 'stripped', 'hidden', 'hybrid']).default('auto'),
  /** Lists `invoke_tool` under `hidden` and `hybrid`. Left out: where `auto` has come to hide tools. */
  invoke: z.boolean().optional(),
  core: coreOption.default(LEARNED),
  coreBudget: coreBudgetOption,
  /** Lists the call, batch and pipe tools too. */
  builtins: z.boolean().default(false),
}

export type ListingOptions = z.output<z.ZodObject<typeof listingShape>>

export interface Listing {
  /** To answer beside the strategy's own. */
  readonly metaTools: readonly MetaTool[]
  /** The one that runs what is not listed, where there is one. */
  readonly invoker: MetaTool | undefined
  readonly listsCatalog: boolean
  /** The same, where this caller's listing shows it. */
  listedInvoker(own: readonly ListedTool[], view: View): Promise<MetaTool | undefined>
  /** What is listed and runs other tools also reads on in their results. */
  readsOn(own: readonly ListedTool[], view: View): Promise<string | undefined>
  /** The strategy's own tools, and what stands beside them. */
  list(own: readonly ListedTool[], view: View): Promise<readonly ListedTool[]>
  /** What `auto` chose at the last listing. */
  explain(): Choice | undefined
}

/** `auto` strips schemas while that listing costs no more. */
export const STRIPPED_BUDGET = 8_000
/** More tools than this have more bytes than the budget has tokens. */
const SMALL = 130

/** The listing that `auto` chooses. */
type AutoMode = 'stripped' | 'hidden'

export function createListing(options: ListingOptions, environment: StrategyEnvironment): Listing {
  const { listing, invoke = listing === 'auto' } = options
  const hides = listing !== 'full' && listing !== 'stripped'
  const invoker = hides && invoke ? createInvokeTool(environment) : undefined
  const invokers = invoker === undefined ? [] : [invoker]
  const builtins = createBuiltins(options.builtins, environment)
  const coreOf = createCoreSet(options, environment.usage)
  const costOf = createToolCost(listStripped)

  const choose = async (own: readonly ListedTool[], { tools }: Snapshot): Promise<AutoMode> => {
    const others = [...own, ...builtins.listed]
    // Most servers are small: no text has more tokens than bytes, and counting takes a large table.
    const bytes = tools.length < SMALL ? bytesOf([...others, ...tools.map(listStripped)]) : Number.POSITIVE_INFINITY
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
    readsOn: async (own, view) => (await listedInvoker(own, view))?.listed.name ?? builtins.runner,
    async list(own, view) {
      const mode = await modeFor(own, view)
      return [...own, ...(await listTools(mode, view)), ...builtins.listed]
    },
    explain: () => (latest === undefined ? undefined : toChoice(latest.mode, latest.tools)),
  }
}

/** The call, batch and pipe tools, which any strategy can list when it is told to. */
export function createBuiltins(isWanted: boolean, environment: StrategyEnvironment) {
  if (!isWanted) return { metaTools: [], listed: [], runner: undefined }
  const { all, call, batch, pipe } = createAfdTools(environment)
  return { metaTools: all, listed: [call, batch, pipe].map(({ listed }) => listed), runner: call.listed.name }
}

function toChoice(mode: AutoMode, tools: number): Choice {
  const cost = mode === 'stripped' ? 'at most' : 'more than'
  const listed = tools === 1 ? '1 tool without its schema costs' : `${tools} tools without their schemas cost`
  return { strategy: mode, reason: `${listed} ${cost} ${STRIPPED_BUDGET} tokens`, tokens: {} }
}

function bytesOf(tools: readonly ListedTool[]): number {
  return Buffer.byteLength(JSON.stringify(tools))
}

/** Its arguments are checked all the same: only the client does not know them yet. */
export function listStripped(tool: Tool): ListedTool {
  const { name, title, description, annotations } = listInFull(tool)
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: { type: 'object' },
    ...(annotations === undefined ? {} : { annotations }),
  }
}
