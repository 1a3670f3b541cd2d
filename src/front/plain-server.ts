// The SDK's Server, except that it says in plain words which parameter of a request is missing or wrong.

import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
  type SpecTypeName,
  type StandardSchemaV1,
  specTypeSchemas,
} from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { issuesOf } from '../core/validate.ts'

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>

/** By name: the SDK makes each when it is first asked for. */
const PARAMS: Readonly<Record<string, SpecTypeName>> = {
  'completion/complete': 'CompleteRequestParams',
  'logging/setLevel': 'SetLevelRequestParams',
  'prompts/get': 'GetPromptRequestParams',
  'prompts/list': 'PaginatedRequestParams',
  'resources/list': 'PaginatedRequestParams',
  'resources/read': 'ReadResourceRequestParams',
  'resources/subscribe': 'SubscribeRequestParams',
  'resources/templates/list': 'PaginatedRequestParams',
  'resources/unsubscribe': 'UnsubscribeRequestParams',
  'tools/call': 'CallToolRequestParams',
  'tools/list': 'PaginatedRequestParams',
}

export class PlainServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const answer = super._wrapHandler(method, handler)
    return async (request, context) => {
      try {
        return await answer(request, context)
      } catch (error) {
        // Looked at again only now: nearly every request is as it should be, and the SDK has checked it.
        throw (await faultOf(method, request.params ?? {})) ?? error
      }
    }
  }
}

async function faultOf(method: string, params: object): Promise<ProtocolError | undefined> {
  const name = Object.hasOwn(PARAMS, method) ? PARAMS[method] : undefined
  if (name === undefined) return undefined
  const schema: StandardSchemaV1 = specTypeSchemas[name]
  const { issues } = await schema['~standard'].validate(params)
  if (issues === undefined) return undefined
  // The SDK's schemas are zod's, and so is what they find.
  const words = issuesOf(issues as readonly z.core.$ZodIssue[], params).map(({ message }) => message)
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params for ${method}: ${words.join('; ')}`)
}
