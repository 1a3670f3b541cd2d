// Request handlers for prompts, resources, completions, subscriptions and log levels.

import {
  type CompleteResult,
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
  type Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Caller } from '../core/call.ts'
import type { Rights } from '../core/rights.ts'
import { abortSignalOf } from '../core/stop-signal.ts'
import type { FeatureMethod, Features, Fields, Offer } from '../crib/features.ts'
import { clientChannel, clientSignalOf, Outbox } from './client-channel.ts'
import type { ClientInterest } from './client-interest.ts'
import type { FleetLink } from './fleet-link.ts'
import { createInputRelay, ownerOf } from './input-relay.ts'
import { askOverSession, type Capabilities, canBeAsked, capabilitiesOf } from './server-requests.ts'

export const FEATURE_LISTS = ['prompts/list', 'resources/list', 'resources/templates/list'] as const

interface FeatureServing {
  readonly server: Server
  readonly front: {
    readonly features?: Features
    readonly interest?: ClientInterest
    readonly fleet?: Pick<FleetLink, 'stateKey'> | undefined
    onError(error: Error): void
  }
  /** Returns the caller, with the name and the capabilities of its client. */
  callerWith(capabilities: Capabilities | undefined): Caller
}

/** Declared even if a list is empty: many clients send these requests anyway and show a refusal as an error. */
const ALL_OFFERS: ReadonlySet<Offer> = new Set(['tools', 'prompts', 'resources', 'completions', 'logging'])
/** Commands have no completions. */
const COMMAND_OFFERS: ReadonlySet<Offer> = new Set(['tools', 'prompts', 'resources', 'logging'])

/** The prompts and resources of a command server: declared, but empty (docs/decisions/007). */
const emptyFeatures: Features = {
  list: async () => [],
  async answer(method, { name, uri }) {
    const unknown =
      method === 'resources/read'
        ? { message: `Resource not found: ${String(uri)}`, data: { uri } }
        : { message: `No prompt named '${String(name)}': this server has no prompts.` }
    return { ok: false, rpcCode: ProtocolErrorCode.InvalidParams, ...unknown }
  },
  onChange: () => () => {},
}

export function offersOf(features: Features | undefined): ReadonlySet<Offer> {
  return features === undefined ? COMMAND_OFFERS : (features.offers ?? ALL_OFFERS)
}

export function capabilitiesFor(features: Features | undefined): ServerCapabilities {
  const offers = offersOf(features)
  const listChanged = features === undefined ? {} : { listChanged: true }
  const subscribe = features?.updates === undefined ? {} : { subscribe: true }
  return {
    ...(offers.has('tools') ? { tools: { listChanged: true } } : {}),
    ...(offers.has('logging') ? { logging: {} } : {}),
    ...(offers.has('prompts') ? { prompts: listChanged } : {}),
    ...(offers.has('resources') ? { resources: { ...listChanged, ...subscribe } } : {}),
    ...(offers.has('completions') ? { completions: {} } : {}),
  }
}

/** The features of the servers that exist for a caller with these rights. */
export function featuresFor(features: Features | undefined, rights: Rights | undefined): Features | undefined {
  if (features === undefined || rights === undefined) return features
  // Features that cannot be divided by server are empty for a caller with limited rights.
  return features.within?.(rights) ?? { ...emptyFeatures, ...(features.offers && { offers: features.offers }) }
}

/** The same front, with the features of the servers that exist for a caller with these rights. */
export function withOwnFeatures<F extends { readonly features?: Features }>(front: F, rights: Rights | undefined): F {
  if (rights === undefined || front.features === undefined) return front
  return { ...front, features: featuresFor(front.features, rights) }
}

/** Sets request handlers only for the features that are offered. */
export function answerFeatures(serving: FeatureServing): void {
  const { front } = serving
  const offers = offersOf(front.features)
  if (offers.has('prompts')) answerPrompts(serving)
  if (offers.has('resources')) answerResources(serving)
  if (offers.has('completions')) answerCompletions(serving)
  if (offers.has('logging')) handleSetLevel(serving)
  if (front.features?.updates !== undefined) handleSubscriptions(serving)
}

// The entries of lists were checked when they were received. Other answers are passed on as the server sent them.

function answerPrompts(serving: FeatureServing): void {
  const { server, features } = featuresIn(serving)
  server.setRequestHandler('prompts/list', async (_request, context) => ({
    prompts: (await features.list('prompts', abortSignalOf(clientSignalOf(context)))) as unknown as Prompt[], // see above
  }))
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    return (await answerRequest(serving, { method: 'prompts/get', params, context })) as GetPromptResult // see above
  })
}

function answerResources(serving: FeatureServing): void {
  const { server, features } = featuresIn(serving)
  server.setRequestHandler('resources/list', async (_request, context) => ({
    resources: (await features.list('resources', abortSignalOf(clientSignalOf(context)))) as unknown as Resource[], // see above
  }))
  server.setRequestHandler('resources/templates/list', async (_request, context) => {
    const listed = await features.list('resourceTemplates', abortSignalOf(clientSignalOf(context)))
    return { resourceTemplates: listed as unknown as ResourceTemplateType[] } // see above
  })
  server.setRequestHandler('resources/read', async ({ params }, context) => {
    const read = await answerRequest(serving, { method: 'resources/read', params, context })
    return read as unknown as ReadResourceResult // see above
  })
}

function answerCompletions(serving: FeatureServing): void {
  serving.server.setRequestHandler('completion/complete', async ({ params }, context) => {
    const completed = await answerRequest(serving, { method: 'completion/complete', params, context })
    return completed as unknown as CompleteResult // see above
  })
}

function featuresIn({ server, front }: FeatureServing): { readonly server: Server; readonly features: Features } {
  return { server, features: front.features ?? emptyFeatures }
}

interface FeatureRequest {
  readonly method: FeatureMethod
  readonly params: Fields
  readonly context: ServerContext
}

async function answerRequest(serving: FeatureServing, given: FeatureRequest): Promise<Fields> {
  const { front, callerWith } = serving
  const { server, features } = featuresIn(serving)
  const { method, context } = given
  // `_meta` belongs to this connection and is not passed on. The relay passes on the answers of the client.
  const { _meta, ...params } = given.params
  const outbox = new Outbox(context, front.onError)
  const capabilities = capabilitiesOf(server, context)
  const caller = callerWith(capabilities)
  const isModern = caller.era === 'modern'
  const channel = { ...clientChannel(context, outbox, front.interest), caller }
  const relay = isModern
    ? createInputRelay(
        context.mcpReq.requestState<string>(),
        context.mcpReq.inputResponses,
        ownerOf(caller),
        front.fleet?.stateKey,
      )
    : undefined
  const canAskDirectly = !isModern && canBeAsked(capabilities)
  const request = {
    ...channel,
    ...(relay === undefined ? {} : { relay }),
    ...(canAskDirectly ? { onServerRequest: askOverSession(context, capabilities, () => outbox.sent()) } : {}),
  }
  const answered = await features.answer(method, params, abortSignalOf(channel.signal), request)
  await outbox.flush()
  // `inputRequired` of the SDK has made this result.
  if (relay?.asked !== undefined) return relay.asked as unknown as Fields
  if (!answered.ok) throw new ProtocolError(answered.rpcCode, answered.message, answered.data)
  relay?.check(undefined)
  return answered.result
}

/** Handles logging/setLevel of a client that has its own connection. */
function handleSetLevel({ server, front: { interest } }: FeatureServing): void {
  if (interest === undefined) return
  server.setRequestHandler('logging/setLevel', async ({ params }) => {
    interest.setLevel(params.level)
    return {}
  })
}

/** Handles resources/subscribe and resources/unsubscribe of a client that has its own connection. */
function handleSubscriptions({ server, front: { interest } }: FeatureServing): void {
  if (interest === undefined) return
  server.setRequestHandler('resources/subscribe', async ({ params }) => {
    const refused = await interest.watch(params.uri)
    if (refused !== undefined) throw new ProtocolError(refused.rpcCode, refused.message)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', async ({ params }) => {
    await interest.unwatch(params.uri)
    return {}
  })
}
