// A tool as the scripts of strategies name it.

import type { Tool } from '../../core/tool.ts'
import type { TaskTool } from '../../disclosure/strategy-task.ts'

/** Groups and actions exist only under `grouped`, whose script reads the listing and searches nothing. */
export function taskToolOf(tool: Tool | undefined, words: string): TaskTool {
  const { listedName = '', id = '', sourceId = '', name = '', category = '' } = tool ?? {}
  return { name: listedName, id, server: sourceId, tool: name, group: '', action: '', category, words }
}
