// Asks a server without a gateway, with the official client. The gateway must answer the same.

import { connectChild, listRaw, type RawOutcome, type RawTool } from './child-client.ts'
import type { WildServer } from './servers.ts'

export interface DirectAnswers {
  readonly tools: readonly RawTool[]
  readonly call: RawOutcome
}

export async function askDirectly({ program, call }: WildServer): Promise<DirectAnswers> {
  const client = await connectChild(program, 'legacy')
  try {
    return { tools: await listRaw(client), call: await client.callRaw(call.tool, call.arguments) }
  } finally {
    // A server may leave processes of its own behind; they are ended here and are not the gateway's fault.
    await client.end()
  }
}
