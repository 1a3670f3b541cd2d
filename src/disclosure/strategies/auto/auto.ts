// The strategy `auto`: lists all tools if they cost few tokens or the client searches tools itself, else as `gateway`.

import { z } from 'zod'
import type { Caller } from '../../../core/call.ts'
import { rightsKey } from '../../../core/rights.ts'
import { listInFull } from '../../listed.ts'
import { parameterHints } from '../../parameter-hints.ts'
import { type Choice, defineStrategy, type Hints } from '../../strategy.ts'
import { readsListing, type StrategyTask, type TaskClient } from '../../strategy-task.ts'
import type { View } from '../../view.ts'
import { gateway } from '../gateway/gateway.ts'
import { builtinsFlag, createBuiltins } from '../listing/listing.ts'
import { countListing, createToolCost } from '../listing/tool-cost.ts'

/** The choices for this many different rights are kept. For callers with other rights, each listing chooses again. */
const MAX_DECISIONS = 1_000

/** The name of a client that searches the listed tools itself and loads only those that it needs. */
const SEARCHING_CLIENT = 'claude-code'

export const auto = defineStrategy({
  name: 'auto',
  options: z.strictObject({
    /** The maximum number of tokens of a full listing. */
    budget: z.int().min(0).default(5_000),
    /** Also lists the call, batch and pipe tools. */
    builtins: z.boolean().default(false),
  }),
  flags: {
    budget: { kind: 'number', about: 'list every tool up to this many tokens (default: 5000)' },
    builtins: builtinsFlag,
  },
  create({ budget, ...options }, environment) {
    const gatewayStrategy = gateway.create({}, environment)
    const builtins = createBuiltins(options.builtins, environment)
    const costOf = createToolCost(listInFull)
    const choose = async (view: View): Promise<Choice> => {
      const { tools } = view.visible
      const cost = await costOf(tools, budget)
      const gatewayTokens = await countListing(await gatewayStrategy.list(view))
      const figures = { ...(cost.isWithin ? { individual: cost.tokens } : {}), gateway: gatewayTokens }
      if (isCatalogIncomplete(view))
        return { strategy: 'gateway', reason: 'not all servers have listed their tools', tokens: figures }
      const toolsCost = tools.length === 1 ? '1 tool costs' : `${tools.length} tools cost`
      return cost.isWithin
        ? {
            strategy: 'individual',
            reason: `${toolsCost} ${cost.tokens} tokens, within the budget of ${budget}`,
            tokens: figures,
          }
        : { strategy: 'gateway', reason: `${toolsCost} more than the budget of ${budget} tokens`, tokens: figures }
    }
    const decisions = createDecisions(choose)
    const choiceFor = (caller: Caller, common: Choice): Choice =>
      searchesItself(caller)
        ? { ...common, strategy: 'individual', reason: `the client '${SEARCHING_CLIENT}' searches tools itself` }
        : common

    const listHints = parameterHints('tools/list')
    const hints = (): Hints =>
      decisions.latest()?.strategy === 'individual' ? listHints : (gatewayStrategy.hints ?? listHints)

    /** The task of the strategy that was chosen for this client. */
    const taskFor = async <Result>(client: TaskClient<Result>): Promise<StrategyTask> => {
      const isGateway = (await client.list()).some(({ name }) => name === 'execute_tool')
      return isGateway && gatewayStrategy.task !== undefined ? gatewayStrategy.task : readsListing
    }

    return {
      metaTools: [...gatewayStrategy.metaTools, ...builtins.metaTools],
      async list(view) {
        const { strategy } = choiceFor(view.caller, await decisions.decide(view))
        const tools = strategy === 'individual' ? view.visible.tools.map(listInFull) : await gatewayStrategy.list(view)
        return [...tools, ...builtins.listed]
      },
      async readsOn(view) {
        const { strategy } = choiceFor(view.caller, await decisions.decide(view))
        return strategy === 'individual' ? builtins.runner : gatewayStrategy.readsOn?.(view)
      },
      task: {
        find: async (client, tool) => (await taskFor(client)).find(client, tool),
        inspect: async (client, tool) => (await taskFor(client)).inspect(client, tool),
        call: async (client, tool, args) => (await taskFor(client)).call(client, tool, args),
      },
      audienceOf: (caller) => (searchesItself(caller) ? SEARCHING_CLIENT : ''),
      explain(caller) {
        if (caller === undefined) return decisions.latest()
        const own = decisions.madeFor(caller)
        return own === undefined ? undefined : choiceFor(caller, own)
      },
      hints: {
        ...hints(),
        // A getter, because the value depends on the choice, which is made at the first listing.
        get find() {
          return hints().find
        },
        nameOf: (tool) => hints().nameOf(tool),
        invalid: (tool) => hints().invalid(tool),
      },
      guide: `Call a listed tool by its name. If search_tools is listed:\n${gatewayStrategy.guide}`,
    }
  },
})

interface Decisions {
  /** Chooses at the first call for these rights, and returns the same choice later. */
  decide(view: View): Promise<Choice>
  /** The choice that was made for the rights of this caller. */
  madeFor(caller: Caller): Choice | undefined
  /** The choice for the caller of the latest listing. */
  latest(): Choice | undefined
}

/** The choice for one set of rights. `deciding` is set by the first request, so that the choice is made only once. */
interface Decision {
  deciding?: Promise<Choice>
  decided?: Choice
}

/**
 * Makes one choice for all callers with the same rights, because they see the same tools. The choice is kept: a listing
 * that changes during a conversation would confuse the model.
 */
function createDecisions(choose: (view: View) => Promise<Choice>): Decisions {
  const decisions = new Map<string, Decision>()
  let latest: Choice | undefined
  const decisionFor = ({ rights }: Caller): Decision => {
    const key = rightsKey(rights)
    const decision = decisions.get(key) ?? {}
    if (decisions.size < MAX_DECISIONS) decisions.set(key, decision)
    return decision
  }
  return {
    async decide(view) {
      const decision = decisionFor(view.caller)
      decision.deciding ??= choose(view)
      try {
        latest = await decision.deciding
        decision.decided = latest
        return latest
      } catch (error) {
        delete decision.deciding
        throw error
      }
    },
    madeFor: (caller) => decisionFor(caller).decided,
    latest: () => latest,
  }
}

/** Only for legacy clients: in the modern era a listing must not depend on the connection, so not on the client. */
function searchesItself({ era, clientName }: Caller): boolean {
  return era === 'legacy' && clientName === SEARCHING_CLIENT
}

/**
 * Whether the caller sees no tools yet, or a server that may still list tools has not done so. Servers that failed are
 * not waited for, because they may never start.
 */
function isCatalogIncomplete({ known, visible, sources }: View): boolean {
  if (visible.tools.length === 0) return true
  const listed = new Set(known.tools.map((tool) => tool.sourceId))
  return sources.some(({ id, state }) => (state === 'known' || state === 'starting') && !listed.has(id))
}
