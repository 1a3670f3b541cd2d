// Converts a tool to its full entry in tools/list, which has no output schema, or to the description for handlers.

import type { CommandDescription } from '../core/call.ts'
import { defined } from '../core/defined.ts'
import type { DescribedTool, ListedTool, Tool } from '../core/tool.ts'

export function listInFull(tool: DescribedTool): ListedTool {
  return defined({
    name: tool.listedName,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema,
    // The server's own hints take precedence over hints derived from traits.
    annotations: tool.annotations ?? annotationsOf([tool]),
    _meta: metaOf(tool),
  })
}

/** One set of hints for one tool or for several behind one name: read-only if all are, destructive if any is. */
export function annotationsOf(tools: readonly DescribedTool[]): Record<string, boolean> | undefined {
  const hints: Record<string, boolean> = {}
  if (tools.every((tool) => tool.traits.mutation === false)) hints.readOnlyHint = true
  else if (tools.some((tool) => tool.traits.mutation === true)) hints.readOnlyHint = false
  const stated = tools.filter((tool) => tool.traits.destructive !== undefined)
  if (stated.some((tool) => tool.traits.destructive === true)) hints.destructiveHint = true
  else if (stated.length > 0 && stated.length === tools.length) hints.destructiveHint = false
  return Object.keys(hints).length === 0 ? undefined : hints
}

/**
 * The metadata that a Toolcrib gateway reads from a Toolcrib server. A derived category is left out, because the
 * gateway derives it again.
 */
function metaOf(tool: DescribedTool): Record<string, unknown> | undefined {
  const { category, isCategoryStated, tags = [] } = tool
  const meta = {
    ...(isCategoryStated === true ? { category } : {}),
    ...(tags.length === 0 ? {} : { tags }),
    ...usageMetaOf(tool),
  }
  return Object.keys(meta).length === 0 ? undefined : meta
}

/** The part of `_meta` that helps to call a tool. */
export function usageMetaOf({ traits: { requires, examples, contexts } }: DescribedTool): Record<string, unknown> {
  return defined({ requires, examples, contexts })
}

/** The description of a tool for a handler that asks for the commands of its server. */
export function describeCommand(tool: Tool): CommandDescription {
  const { listedName, description, category, tags = [], traits, inputSchema } = tool
  const stated = traits.mutation === undefined ? {} : { mutation: traits.mutation }
  return { name: listedName, description, category, tags, ...stated, inputSchema }
}
