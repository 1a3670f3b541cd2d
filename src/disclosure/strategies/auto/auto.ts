// The strategy `auto`: lists all tools if they cost few tokens or the client searches them, else those of `gateway`.

import { z } from 'zod'
import type { Caller } from '../../../core/call.ts'
import { rightsKey } from '../../../core/rights.ts'
import { groupDigits } from '../../../core/text.ts'
import { listInFull } from '../../listed.ts'
import { type Choice, defineStrategy, type Hints, parameterHints } from '../../strategy.ts'
import { readsListing, type StrategyTask, type TaskClient } from '../../strategy-task.ts'
import type { View } from '../../view.ts'
import { gateway, gatewayHints } from '../gateway/gateway.ts'
import { builtinsFlag, createBuiltins } from '../listing/listing.ts'
import { countListing, createToolCost } from '../listing/tool-cost.ts'

/** A choice is kept for up to this many different rights. For callers with other rights, each listing chooses again. */
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
    budget: { kind: 'number', about: 'list all tools if they cost at most this many tokens (default: 5000)' },
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
      const tokens = { ...(cost.isWithin ? { individual: cost.tokens } : {}), gateway: gatewayTokens }
      const use = (strategy: 'individual' | 'gateway', reason: string): Choice => ({ strategy, reason, tokens })
      if (isCatalogIncomplete(view)) return use('gateway', 'not all servers have listed their tools')
      if (tools.length === 0) return use('gateway', 'there are no tools to list')
      const toolsCost = tools.length === 1 ? '1 tool costs' : `${groupDigits(tools.length)} tools cost`
      return cost.isWithin
        ? use(
            'individual',
            `${toolsCost} ${groupDigits(cost.tokens)} tokens, within the budget of ${groupDigits(budget)}`,
          )
        : use('gateway', `${toolsCost} more than the budget of ${groupDigits(budget)} tokens`)
    }
    const decisions = createDecisions(choose)
    const choiceFor = (caller: Caller, common: Choice): Choice =>
      searchesItself(caller)
        ? { ...common, strategy: 'individual', reason: `the client '${SEARCHING_CLIENT}' searches tools itself` }
        : common

    const listHints = parameterHints('tools/list')
    /**
     * The hints for the listing of this caller. Until a choice is made for its rights, they name tools of the strategy
     * `gateway`, because those can be called under any choice. A client that searches itself always gets `listHints`.
     */
    const hintsFor = (caller: Caller): Hints =>
      searchesItself(caller) || decisions.madeFor(caller)?.strategy === 'individual' ? listHints : gatewayHints

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
      hints: hintsFor,
      guide: `Call a listed tool by its name. If search_tools is listed:\n${gatewayStrategy.guide}`,
    }
  },
})

/** The choice for one set of rights. Concurrent requests wait for the same `deciding`, so that only one chooses. */
interface Decision {
  deciding?: Promise<Choice>
  decided?: Choice
}

/**
 * Makes one choice for all callers with the same rights, because they see the same tools. The choice is kept: a listing
 * that changes during a conversation would confuse the model. `choiceFor` adds the exception for `claude-code`.
 */
function createDecisions(choose: (view: View) => Promise<Choice>) {
  const decisions = new Map<string, Decision>()
  let latest: Choice | undefined
  const decisionFor = ({ rights }: Caller): Decision => {
    const key = rightsKey(rights)
    const decision = decisions.get(key) ?? {}
    if (decisions.size < MAX_DECISIONS) decisions.set(key, decision)
    return decision
  }
  return {
    /** Chooses at the first call for these rights, and returns the same choice later. */
    async decide(view: View): Promise<Choice> {
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
    /** The choice that was made for the rights of this caller. */
    madeFor: ({ rights }: Caller): Choice | undefined => decisions.get(rightsKey(rights))?.decided,
    /** The choice that the latest call of `decide` returned. */
    latest: (): Choice | undefined => latest,
  }
}

/** False for modern clients: in the modern era, a listing must not depend on which client sends the request. */
function searchesItself({ era, clientName }: Caller): boolean {
  return era === 'legacy' && clientName === SEARCHING_CLIENT
}

/** Whether a server may still list tools. A server that failed does not count, because it may never start. */
function isCatalogIncomplete({ known, sources }: View): boolean {
  const listed = new Set(known.tools.map((tool) => tool.sourceId))
  return sources.some(({ id, state }) => (state === 'known' || state === 'starting') && !listed.has(id))
}
