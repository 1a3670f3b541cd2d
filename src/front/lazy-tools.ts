// lazyTools: puts the tools of an official SDK server under a strategy. The server's own handlers still run the tools.

import type { Server, ServerContext } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { Caller } from '../core/call.ts'
import { isRecord } from '../core/is-record.ts'
import { type Crib, createCrib } from '../crib/crib.ts'
import { listedAsIs } from '../crib/listed-as-is.ts'
import type { StrategySelection } from '../disclosure/strategies/builtins.ts'
import { hideTools } from '../rules/rules.ts'
import { chooseRanker } from '../search/rankers/builtins.ts'
import {
  CALL,
  createSdkServerSource,
  LIST,
  openSdkServer,
  SDK_CONTEXT,
  type SdkHandler,
  type SdkServer,
  type SdkServerSource,
  toServerContext,
} from '../sources/sdk-server/sdk-server-source.ts'
import type { Store } from '../storage/store.ts'
import { clientChannel, Outbox } from './client-channel.ts'
import { createInputRelay } from './input-relay.ts'
import { capabilitiesOf } from './server-requests.ts'
import { toWire } from './wire.ts'
import type { ToolOptions } from './wrap-options.ts'

interface LazyToolsFields extends ToolOptions {
  /** Stores the tools that callers have enabled. If you create a server for each request, use one store for all. */
  readonly store?: Store
  /** The name of the server, for strategies that name tools after it. Default: the name that the server declares. */
  readonly name?: string
  /** The version of the server, for strategies that show it. Default: the version that the server declares. */
  readonly version?: string
}

/**
 * The options of `lazyTools`. The default of `strategy` is `auto`; `strategyOptions` are the options of the strategy.
 * `Own` is the schema of the options of a strategy of your own.
 */
export type LazyToolsOptions<Own extends z.ZodObject = z.ZodObject> = LazyToolsFields &
  StrategySelection<'strategy', 'auto', Own>

/**
 * Puts the tools of a server of the official SDK under a strategy. It replaces tools/list and tools/call of a server
 * that is not connected yet, and returns the same server.
 *
 * @example
 * ```ts
 * import { McpServer } from '@modelcontextprotocol/server'
 *
 * const server = new McpServer({ name: 'todos', version: '1.0.0' })
 * lazyTools(server, { strategy: 'categories', strategyOptions: { listing: 'hidden' } })
 * ```
 */
export function lazyTools<S extends SdkServer, Own extends z.ZodObject = z.ZodObject>(
  server: S,
  options: LazyToolsOptions<Own> = {},
): S {
  const opened = openSdkServer(server)
  const source = createSdkServerSource(opened.own)
  const { hide = [] } = options
  const crib = createCrib({
    about: {
      name: options.name ?? opened.name ?? 'server',
      version: options.version ?? opened.version ?? '0.0.0',
      instructions: opened.instructions,
    },
    sources: [source],
    strategy: options.strategy ?? 'auto',
    strategyOptions: options.strategyOptions,
    builtins: false,
    catalog: { decide: hide.length === 0 ? undefined : hideTools(hide), keepNames: true },
    calls: { middleware: options.middleware },
    search: { ranker: chooseRanker(options.ranker) },
    state: { store: options.store },
    onChoice: (line) => process.stderr.write(`toolcrib: ${line}\n`),
  })
  // The instructions of the server, followed by those of the strategy.
  opened.setInstructions(crib.about.instructions)
  opened.replace(createHandlers(opened.inner, listedAsIs(crib, source.tools), source))
  // The server notifies its clients itself. The source is refreshed at the next request.
  opened.onToolListChanged(source.expire)
  return server
}

function createHandlers(server: Server, crib: Crib, source: SdkServerSource): Readonly<Record<string, SdkHandler>> {
  return {
    async [LIST](_request, sdkContext) {
      const context = toServerContext(sdkContext)
      source.expire()
      await source.refresh(sdkContext)
      const tools = await crib.list({ caller: callerOf(server, context), signal: context.mcpReq.signal })
      return { tools }
    },
    async [CALL](request, sdkContext) {
      const context = toServerContext(sdkContext)
      await source.refresh(sdkContext)
      const params = isRecord(request) && isRecord(request.params) ? request.params : {}
      const name = String(params.name)
      const outbox = new Outbox(context, (error) => server.onerror?.(error))
      const relay = createInputRelay(context.mcpReq.requestState<string>(), context.mcpReq.inputResponses)
      const result = await crib.call(name, params.arguments, {
        ...clientChannel(context, outbox),
        caller: callerOf(server, context),
        relay,
        extra: { [SDK_CONTEXT]: sdkContext },
      })
      await outbox.flush()
      return relay.asked ?? toWire(name, result)
    },
  }
}

function callerOf(server: Server, context: ServerContext): Caller {
  const capabilities = capabilitiesOf(server, context)
  const isModern = context.mcpReq.envelope !== undefined
  const clientName = isModern ? undefined : server.getClientVersion()?.name
  return {
    principal: context.http?.authInfo?.clientId ?? 'client',
    era: isModern ? 'modern' : 'legacy',
    transport: context.http === undefined ? 'stdio' : 'http',
    ...(isModern ? {} : { sessionId: context.sessionId ?? 'connection' }),
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(clientName === undefined ? {} : { clientName }),
  }
}
