// Prompts, resources and completions of a protocol server: those it was given, or none.

import {
  type CompleteResult,
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
  type Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { FeatureMethod, Features, Fields } from '../crib/features.ts'
import type { Activity } from './activity.ts'
import { emptyFeatures } from './empty-features.ts'
import { patienceOf } from './ways-back.ts'

export const FEATURE_LISTS = ['prompts/list', 'resources/list', 'resources/templates/list'] as const

/** Declared also where there are none: many clients ask regardless, and show a refusal as an error. */
export function featureCapabilities(features: Features | undefined): ServerCapabilities {
  if (features === undefined) return { prompts: {}, resources: {} }
  return { prompts: { listChanged: true }, resources: { listChanged: true }, completions: {} }
}

export function answerFeatures(server: Server, given: Features | undefined, activity: Activity): void {
  const features = given ?? emptyFeatures
  // Entries were looked at one by one where they came in; answers are as their server gave them.
  server.setRequestHandler('prompts/list', async (_request, context) => ({
    prompts: (await features.list('prompts', patienceOf(context))) as unknown as Prompt[], // see above
  }))
  server.setRequestHandler('resources/list', async (_request, context) => ({
    resources: (await features.list('resources', patienceOf(context))) as unknown as Resource[], // see above
  }))
  server.setRequestHandler('resources/templates/list', async (_request, context) => {
    const listed = await features.list('resourceTemplates', patienceOf(context))
    return { resourceTemplates: listed as unknown as ResourceTemplateType[] } // see above
  })

  const answer = async (method: FeatureMethod, params: Fields, context: ServerContext): Promise<Fields> => {
    const answered = await activity.track(features.answer(method, params, patienceOf(context)))
    if (answered.ok) return answered.result
    throw new ProtocolError(answered.rpcCode, answered.message, answered.data)
  }
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    return (await answer('prompts/get', params, context)) as GetPromptResult // see above
  })
  server.setRequestHandler('resources/read', async ({ params }, context) => {
    return (await answer('resources/read', params, context)) as unknown as ReadResourceResult // see above
  })
  if (given === undefined) return
  server.setRequestHandler('completion/complete', async ({ params }, context) => {
    return (await answer('completion/complete', params, context)) as unknown as CompleteResult // see above
  })
}
