// Describes a tool for the task scripts of strategies.

import type { Tool } from '../../core/tool.ts'
import type { TaskTool } from '../../disclosure/strategy-task.ts'

/** The group and the action are empty: only the script of `grouped` needs them, and it reads them from the listing. */
export function taskToolOf(tool: Tool | undefined, words: string): TaskTool {
  const { listedName = '', id = '', sourceId = '', name = '', category = '' } = tool ?? {}
  return { name: listedName, id, server: sourceId, tool: name, group: '', action: '', category, words }
}
