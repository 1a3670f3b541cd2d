// Request handlers for prompts, resources, completions, subscriptions and log levels.

import {
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Caller } from '../core/call.ts'
import type { Rights } from '../core/rights.ts'
import { abortSignalOf } from '../core/stop-signal.ts'
import type { FeatureKind, FeatureMethod, Features, Fields, Offer } from '../crib/features.ts'
import { clientChannel, clientSignalOf, Outbox } from './client-channel.ts'
import type { DoorOptions } from './front-options.ts'
import { createInputRelay, ownerOf } from './input-relay.ts'
import { askOverSession, type Capabilities, canBeAsked, capabilitiesOf } from './server-requests.ts'

export const FEATURE_LISTS = ['prompts/list', 'resources/list', 'resources/templates/list'] as const

interface FeatureServing {
  readonly server: Server
  readonly front: Pick<DoorOptions, 'features' | 'interest' | 'fleet' | 'onError'>
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
  if (offers.has('prompts')) {
    answerList(serving, 'prompts/list', 'prompts')
    passOn(serving, 'prompts/get')
  }
  if (offers.has('resources')) {
    answerList(serving, 'resources/list', 'resources')
    answerList(serving, 'resources/templates/list', 'resourceTemplates')
    passOn(serving, 'resources/read')
  }
  if (offers.has('completions')) passOn(serving, 'completion/complete')
  if (offers.has('logging')) handleSetLevel(serving)
  if (front.features?.updates !== undefined) handleSubscriptions(serving)
}

function answerList({ server, front }: FeatureServing, method: (typeof FEATURE_LISTS)[number], kind: FeatureKind) {
  const { features = emptyFeatures } = front
  server.setRequestHandler(method, async (_request, context) => {
    const entries = await features.list(kind, abortSignalOf(clientSignalOf(context)))
    return { [kind]: entries } as never // the entries were checked when they were received
  })
}

/** Passes a request on to the server that owns the prompt or resource. */
function passOn(serving: FeatureServing, method: FeatureMethod): void {
  serving.server.setRequestHandler(method, async ({ params }, context) => {
    return (await answerRequest(serving, method, params, context)) as never // passed on as the server sent it
  })
}

async function answerRequest(
  { server, front, callerWith }: FeatureServing,
  method: FeatureMethod,
  // `_meta` belongs to this connection and is not passed on. The relay passes on the answers of the client.
  { _meta, ...params }: Fields,
  context: ServerContext,
): Promise<Fields> {
  const { features = emptyFeatures, fleet, interest, onError } = front
  const outbox = new Outbox(context, onError)
  const capabilities = capabilitiesOf(server, context)
  const caller = callerWith(capabilities)
  const isModern = caller.era === 'modern'
  const { mcpReq } = context
  const relay = isModern
    ? createInputRelay(mcpReq.requestState<string>(), mcpReq.inputResponses, ownerOf(caller), fleet?.stateKey)
    : undefined
  const canAskDirectly = !isModern && canBeAsked(capabilities)
  const request = {
    ...clientChannel(context, outbox, interest),
    caller,
    ...(relay === undefined ? {} : { relay }),
    ...(canAskDirectly ? { onServerRequest: askOverSession(context, capabilities, () => outbox.sent()) } : {}),
  }
  const answered = await features.answer(method, params, abortSignalOf(request.signal), request)
  await outbox.flush()
  // `inputRequired` of the SDK has made this result.
  if (relay?.asked !== undefined) return relay.asked as unknown as Fields
  if (!answered.ok) throw new ProtocolError(answered.rpcCode, answered.message, answered.data)
  relay?.check(undefined)
  return answered.result
}

/** Handles logging/setLevel of a client that has a connection or a session of its own. */
function handleSetLevel({ server, front: { interest } }: FeatureServing): void {
  if (interest === undefined) return
  server.setRequestHandler('logging/setLevel', async ({ params }) => {
    await interest.setLevel(params.level)
    return {}
  })
}

/** Handles resources/subscribe and resources/unsubscribe of a client that has a connection or a session of its own. */
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
