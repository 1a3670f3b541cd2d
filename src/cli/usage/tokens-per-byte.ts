// Measures the tokens per byte of a tool list on the tools of the config, because the ratio depends on the language.

import type { CountTokens } from '../../core/tokens.ts'
import type { DescribedTool } from '../../core/tool.ts'
import { listInFull } from '../../disclosure/listed.ts'

/** The ratio of English text and JSON, for a config without tools, and where the tools are not loaded. */
export const USUAL_TOKENS_PER_BYTE = 1 / 4
const MAX_TOOLS = 200

export function tokensPerByte(tools: readonly DescribedTool[], count: CountTokens): number {
  // Tools are ordered by server, so taking every n-th tool covers all servers.
  const step = Math.max(1, Math.ceil(tools.length / MAX_TOOLS))
  let tokens = 0
  let bytes = 0
  for (let index = 0; index < tools.length; index += step) {
    const tool = tools[index]
    if (tool === undefined) continue
    const text = JSON.stringify(listInFull(tool))
    tokens += count(text)
    bytes += Buffer.byteLength(text)
  }
  return bytes === 0 ? USUAL_TOKENS_PER_BYTE : tokens / bytes
}
