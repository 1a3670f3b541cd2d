// Makes a crib list tools exactly as their server declares them, where the strategy lists them in full.

import { isDeepStrictEqual } from 'node:util'
import type { ListedTool } from '../core/tool.ts'
import type { UpstreamTool } from '../sources/upstream/tool-list.ts'
import type { Crib } from './crib.ts'

export function listedAsIs(crib: Crib, toolsOf: () => Promise<readonly UpstreamTool[]>): Crib {
  return {
    ...crib,
    async list(request) {
      const listed = await crib.list(request)
      const tools = new Map((await toolsOf()).map((tool) => [tool.name, tool]))
      return listed.map((tool) => restoreOriginal(tool, tools.get(tool.name)))
    },
  }
}

function restoreOriginal(listed: ListedTool, tool: UpstreamTool | undefined): ListedTool {
  // A strategy that strips schemas, or that has its own tool of that name, lists something else.
  if (tool === undefined || !isDeepStrictEqual(tool.inputSchema, listed.inputSchema)) return listed
  const { warnings: _warnings, pin: _pin, ...sent } = tool
  return { ...sent, description: tool.description ?? listed.description }
}
