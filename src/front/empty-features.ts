// Prompts and resources: commands have none, and say so (docs/decisions/007).

import { ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Features } from '../crib/features.ts'

export const emptyFeatures: Features = {
  list: async () => [],
  async answer(method, { name, uri }) {
    const nothing =
      method === 'resources/read'
        ? { message: `Resource not found: ${String(uri)}`, data: { uri } }
        : { message: `No prompt named '${String(name)}'; this server has none.` }
    return { ok: false, rpcCode: ProtocolErrorCode.InvalidParams, ...nothing }
  },
  onChange: () => () => {},
}
