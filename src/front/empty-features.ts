// Prompts and resources of a command server: declared but empty (docs/decisions/007).

import { ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Features } from '../crib/features.ts'

export const emptyFeatures: Features = {
  list: async () => [],
  async answer(method, { name, uri }) {
    const nothing =
      method === 'resources/read'
        ? { message: `Resource not found: ${String(uri)}`, data: { uri } }
        : { message: `No prompt named '${String(name)}': this server has no prompts.` }
    return { ok: false, rpcCode: ProtocolErrorCode.InvalidParams, ...nothing }
  },
  onChange: () => () => {},
}
