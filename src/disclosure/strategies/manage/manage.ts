// The strategy `manage`: lists manage_tools at first. With this tool, the agent enables the tools that it needs.

import { z } from 'zod'
import { fail } from '../../../core/errors.ts'
import type { CommandResult } from '../../../core/result.ts'
import { quoteList } from '../../../core/text.ts'
import type { Tool } from '../../../core/tool.ts'
import { listInFull } from '../../listed.ts'
import { defineStrategy, parameterHints } from '../../strategy.ts'
import { callsByName, listedAs } from '../../strategy-task.ts'
import type { View } from '../../view.ts'
import { builtinsFlag, createBuiltins } from '../listing/listing.ts'
import { createEnabledSet, type EnabledSet } from './enabled-set.ts'
import { createManageTools, MANAGE_TOOLS } from './manage-tools.ts'

export const manage = defineStrategy({
  name: 'manage',
  options: z.strictObject({
    maxEnabled: z.int().min(1).default(40),
    /** A call of a tool that is not enabled enables it, for clients that never list again. */
    autoEnable: z.boolean().default(false),
    /** Also lists the call, batch and pipe tools, which can run every tool. */
    builtins: z.boolean().default(false),
  }),
  flags: {
    maxEnabled: { kind: 'number', about: 'maximum number of enabled tools (default: 40)' },
    autoEnable: { kind: 'switch', about: 'enable a tool when it is called' },
    builtins: builtinsFlag,
  },
  create({ maxEnabled, autoEnable, ...options }, environment) {
    const enabled = createEnabledSet(maxEnabled)
    const manageTools = createManageTools({ enabled, maxEnabled }, environment)
    const builtins = createBuiltins(options.builtins, environment)
    return {
      metaTools: [manageTools, ...builtins.metaTools],
      isPersonal: true,
      task: {
        find: (client, { words }) => client.ask(MANAGE_TOOLS, { action: 'list', search: words }),
        prepare: (client, { name }) => client.call(MANAGE_TOOLS, { action: 'enable', tools: name }),
        inspect: (client, { name }) => listedAs(client, name),
        call: callsByName,
      },
      readsOn: () => builtins.runner,
      // `listsCatalog` is not set: enabled tools are already known, so there is nothing to wait for.
      async list(view) {
        const ids = await enabled.idsFor(view)
        const tools = view.visible.tools.filter((tool) => ids.has(tool.id))
        return [manageTools.listed, ...tools.map(listInFull), ...builtins.listed]
      },
      call(name, args, view) {
        const target = view.lookup(name)
        const isCallable = target.found && target.visibility.degree === 'visible'
        return isCallable ? run(target.tool, args, { enabled, autoEnable }, view) : undefined
      },
      hints: parameterHints(MANAGE_TOOLS),
      guide: [
        `1. ${MANAGE_TOOLS} {"action": "list", "search": …} finds tools.`,
        `2. ${MANAGE_TOOLS} {"action": "enable", "tools": [...]} adds them to your tool list.`,
        `3. Call them by name. At most ${maxEnabled} are enabled at once; the least recently used are disabled.`,
      ].join('\n'),
    }
  },
})

async function run(
  tool: Tool,
  args: unknown,
  { enabled, autoEnable }: { readonly enabled: EnabledSet; readonly autoEnable: boolean },
  view: View,
): Promise<CommandResult> {
  if (await enabled.use(tool, view)) return view.invoke(tool.id, args)
  if (!autoEnable) {
    return view.decline(tool.id, args, fail('TOOL_NOT_ENABLED', { name: tool.listedName, find: MANAGE_TOOLS }))
  }
  const { changed, evicted } = await enabled.enable([tool], view)
  if (changed.length > 0) view.listChanged()
  const result = await view.invoke(tool.id, args)
  return evicted.length === 0 ? result : withWarning(result, evicted)
}

function withWarning(result: CommandResult, evicted: readonly Tool[]): CommandResult {
  const message = `Disabled to make room: ${quoteList(evicted.map((tool) => tool.listedName))}.`
  const warning = { code: 'TOOLS_DISABLED', message, severity: 'info' } as const
  const warned = { ...result, warnings: [...(result.warnings ?? []), warning] }
  const { wire } = result
  if (wire === undefined) return warned
  // A front door sends only `wire`, without the warnings.
  return { ...warned, wire: { ...wire, content: [...wire.content, { type: 'text', text: message }] } }
}
