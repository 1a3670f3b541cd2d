// A tool as the scripts of strategies name it.

import type { Tool } from '../../core/tool.ts'
import type { TaskTool } from '../../disclosure/strategy-task.ts'

/** Groups and actions are empty: only the script of `grouped` needs them, and that script reads the listing. */
export function taskToolOf(tool: Tool | undefined, words: string): TaskTool {
  const { listedName = '', id = '', sourceId = '', name = '', category = '' } = tool ?? {}
  return { name: listedName, id, server: sourceId, tool: name, group: '', action: '', category, words }
}
