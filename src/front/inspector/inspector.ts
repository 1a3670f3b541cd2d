// Answers requests for the data of the inspector: one function per path. Each answer depends on the view of the caller.

import type { Caller } from '../../core/call.ts'
import { isRecord } from '../../core/is-record.ts'
import type { InspectorConfig } from './api.ts'
import { createCallData } from './call-data.ts'
import { createCallHistory } from './call-history.ts'
import { createComparedStrategies, type TextOfResult } from './compared-strategies.ts'
import type { InspectorOptions, InspectorReports } from './inspector-options.ts'
import { createOverview } from './overview.ts'
import { redactAnswer } from './redact-answer.ts'
import { createRuleBook, type RuleBook } from './rule-book.ts'
import { createSearch } from './search.ts'
import { createTokenCosts } from './token-costs.ts'
import { createToolPages } from './tools.ts'
import { Refusal, toolsOf, type Visit } from './visit.ts'

export interface Inspector {
  /** `path` is the part after `api/`. */
  answer(path: string, request: Request, body: unknown, caller: Caller): Promise<Response>
  /** Ends all streams. */
  close(): Promise<void>
}

interface CreateOptions extends Pick<InspectorOptions, 'gateway'> {
  readonly reports: InspectorReports
  readonly mcpPath: string
  readonly startedAt: string
  readonly textOf: TextOfResult
  onError(error: Error): void
}

interface Route {
  readonly method: 'GET' | 'POST'
  /** True for data about the configuration, which only callers with all rights get. */
  readonly isForOperators?: boolean
  handle(visit: Visit): Promise<object>
}

export function createInspector(options: CreateOptions): Inspector {
  const { gateway, reports, mcpPath, startedAt, textOf } = options
  const { describeConfig, savings } = reports
  const onError = (error: unknown) => options.onError(error instanceof Error ? error : new Error(String(error)))
  const tokens = createTokenCosts()
  const strategies = createComparedStrategies(gateway, textOf)
  const history = createCallHistory(gateway.auditFile, onError)
  const rules = createRuleBook(() => gateway.loaded, tokens)
  const pages = createToolPages({ gateway, tokens, history, strategies, rules })
  const closing = new AbortController()
  const calls = createCallData({ gateway, history, tokens, strategies, savings, signal: closing.signal, onError })
  // Starts the servers with unknown tools, because the page shows the tools. Requests do not wait for this.
  void gateway.crib.settled(closing.signal)

  const routes: Readonly<Record<string, Route>> = {
    overview: { method: 'GET', handle: createOverview({ gateway, tokens, strategies, startedAt, mcpPath, onError }) },
    tools: { method: 'GET', handle: pages.list },
    tool: { method: 'GET', handle: pages.one },
    search: { method: 'GET', handle: createSearch(strategies, tokens) },
    calls: { method: 'GET', handle: calls.latest },
    usage: { method: 'GET', handle: calls.usage },
    config: { method: 'GET', isForOperators: true, handle: createConfigData(gateway, describeConfig, rules) },
    'config/preview': {
      method: 'POST',
      isForOperators: true,
      handle: (visit) => rules.preview(visit.body, toolsOf(visit)),
    },
  }

  const visitOf = async (request: Request, body: unknown, caller: Caller): Promise<Visit> => {
    const { signal } = request
    const view = await gateway.crib.inspect(signal, caller)
    const query = new URL(request.url).searchParams
    return { caller, view, isUnlimited: caller.rights === undefined, query, body, signal }
  }
  const answer = async (path: string, request: Request, body: unknown, caller: Caller): Promise<Response> => {
    const isStream = path === 'calls/stream'
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined
    const { method, isForOperators = false } = route ?? { method: 'GET' }
    if (route === undefined && !isStream) throw new Refusal({ status: 404, message: 'The inspector has no such data.' })
    if (request.method !== method) throw new Refusal({ status: 405, message: `Use ${method} for this path.` })
    if (isForOperators && caller.rights !== undefined) {
      throw new Refusal({ status: 403, message: 'Only a caller with all rights can read the configuration.' })
    }
    if (method === 'POST' && !isRecord(body)) throw new Refusal({ status: 400, message: 'Send a JSON object.' })
    const visit = await visitOf(request, body, caller)
    return route === undefined
      ? calls.stream(visit)
      : Response.json(await redactAnswer(await route.handle(visit), gateway.redact))
  }
  return {
    async answer(...given) {
      try {
        return await answer(...given)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const { status, ...shown } = error.refused
        return Response.json({ error: shown }, { status })
      }
    },
    async close() {
      closing.abort()
      await history.close()
    },
  }
}

/** The last description of the configuration, with the objects that it was made from. */
interface ConfigDescription {
  readonly loaded: object
  readonly known: object
  readonly parts: ReturnType<InspectorReports['describeConfig']>
}

function createConfigData(
  gateway: InspectorOptions['gateway'],
  describeConfig: InspectorReports['describeConfig'],
  rules: RuleBook,
): (visit: Visit) => Promise<InspectorConfig> {
  let described: ConfigDescription | undefined
  return async (visit) => {
    const tools = toolsOf(visit)
    const unasked = visit.view.sources.flatMap(({ id, toolCount }) => (toolCount === undefined ? [id] : []))
    const servers = gateway.loaded.servers.map(({ name }) => name)
    const known = tools.map(({ sourceId, name }) => ({ server: sourceId, tool: name }))
    const { loaded } = gateway
    // Kept for later requests: a comparison of the rules with thousands of tools takes a while, and the page polls.
    if (described?.loaded !== loaded || described.known !== visit.view.known) {
      const parts = describeConfig({ tools: known, unasked, servers })
      described = { loaded, known: visit.view.known, parts }
    }
    return { ...described.parts, rules: await rules.list(tools) }
  }
}
