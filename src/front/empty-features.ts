// Prompts and resources: commands have none, and say so (docs/decisions/007).

import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, type Server } from '@modelcontextprotocol/server'

export const emptyCapabilities = { prompts: {}, resources: {} }

export const emptyLists = ['prompts/list', 'resources/list', 'resources/templates/list'] as const

export function answerEmptyFeatures(server: Server): void {
  server.setRequestHandler('prompts/list', async () => ({ prompts: [] }))
  server.setRequestHandler('resources/list', async () => ({ resources: [] }))
  server.setRequestHandler('resources/templates/list', async () => ({ resourceTemplates: [] }))
  server.setRequestHandler('prompts/get', async ({ params }) => {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No prompt named '${params.name}'; this server has none.`)
  })
  server.setRequestHandler('resources/read', async ({ params }) => {
    throw new ResourceNotFoundError(params.uri)
  })
}
