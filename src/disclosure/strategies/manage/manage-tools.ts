// The meta-tool manage_tools: lists tools, and enables or disables them for the caller.

import { z } from 'zod'
import { fail } from '../../../core/errors.ts'
import { isRecord } from '../../../core/is-record.ts'
import type { CommandResult } from '../../../core/result.ts'
import type { Tool } from '../../../core/tool.ts'
import { answer } from '../../answer.ts'
import { defineMetaTool, namesArgument } from '../../meta-tool.ts'
import { type Needs, toolsNamed } from '../../needs.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'
import type { View } from '../../view.ts'
import type { EnabledChange, EnabledSet } from './enabled-set.ts'
import { describeErrors, listAvailable, type NamedTools, type SelectionError, selectTools } from './select-tools.ts'

export const MANAGE_TOOLS = 'manage_tools'

/** The default number of tools in one answer, which then has about 2,500 tokens. */
const DEFAULT_LIMIT = 100
/** Limited, because each unknown name is compared with every existing name. */
const MAX_NAMES = 200

const input = z.strictObject({
  action: z.enum(['list', 'enable', 'disable']),
  tools: namesArgument({ min: 0, max: MAX_NAMES }).optional(),
  category: z.string().min(1).optional(),
  search: z.string().optional(),
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(500).default(DEFAULT_LIMIT),
})

interface ManageToolsOptions {
  readonly enabled: EnabledSet
  readonly maxEnabled: number
}

export function createManageTools(options: ManageToolsOptions, { hasContexts }: StrategyEnvironment): MetaTool {
  const { enabled } = options
  const tool = defineMetaTool({
    name: MANAGE_TOOLS,
    description:
      'Find tools and make them callable: list (search or category narrows it), then enable the ones you need by name. Enabled tools join your tool list.',
    input,
    inputSchema: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['list', 'enable', 'disable'] },
        tools: {
          type: ['string', 'array'],
          items: { type: 'string', minLength: 1 },
          minLength: 1,
          maxItems: MAX_NAMES,
        },
        category: { type: 'string', minLength: 1 },
        search: { type: 'string' },
        offset: { type: 'integer', minimum: 0 },
        limit: { type: 'integer', minimum: 1, maximum: 500 },
      },
      required: ['action'],
      additionalProperties: false,
    },
    readOnly: false,
    findsTools: true,
    takesContext: hasContexts,
    needs: toolsOrAll,
    async call({ action, tools = [], category, ...rest }, view) {
      const named = { names: [tools].flat(), category }
      if (action === 'list') return listAvailable({ ...named, ...rest }, await enabled.idsFor(view), view)
      return change(action, named, options, view)
    },
  })
  // It changes only the listing, so a client does not need to ask the user first.
  return { ...tool, listed: { ...tool.listed, annotations: { readOnlyHint: false, destructiveHint: false } } }
}

/** Known tools given by name need no other source. A list or a category may include tools of any source. */
function toolsOrAll(args: unknown): Needs {
  if (!isRecord(args) || args.action === 'list' || args.category !== undefined) return 'all'
  return toolsNamed(args.tools)
}

async function change(
  action: 'enable' | 'disable',
  named: NamedTools,
  { enabled, maxEnabled }: ManageToolsOptions,
  view: View,
): Promise<CommandResult> {
  if (named.names.length === 0 && named.category === undefined) return nothingNamed(action)
  const { tools, errors, refused } = selectTools(named, view)
  if (refused !== undefined) return refused
  if (action === 'enable' && tools.length > maxEnabled) {
    return fail('TOO_MANY_TOOLS', { total: tools.length, max: maxEnabled })
  }
  const done = await enabled[action](tools, view)
  // Notify after the new state is stored, so that a client that lists at once sees it.
  if (done.changed.length > 0 || done.evicted.length > 0) view.listChanged()
  return answer(report(action, done, errors, maxEnabled))
}

function report(
  action: 'enable' | 'disable',
  done: EnabledChange,
  errors: readonly SelectionError[],
  maxEnabled: number,
) {
  const { changed, unchanged, evicted } = done
  const isChanged = changed.length > 0
  // If the maximum was lowered, an already enabled tool can displace others.
  const alreadyEnabled = evicted.length > 0 ? 'Already enabled.' : 'Nothing changed: already enabled.'
  const some = (key: string, tools: readonly Tool[]) =>
    tools.length === 0 ? {} : { [key]: tools.map((tool) => tool.listedName) }
  return action === 'enable'
    ? {
        message: isChanged ? 'Tools enabled.' : alreadyEnabled,
        ...some('enabled', changed),
        ...some('alreadyEnabled', unchanged),
        ...(evicted.length === 0 ? {} : { ...some('disabledToMakeRoom', evicted), maxEnabled }),
        ...describeErrors(errors),
      }
    : {
        message: isChanged ? 'Tools disabled.' : 'Nothing changed: not enabled.',
        ...some('disabled', changed),
        ...some('notEnabled', unchanged),
        ...describeErrors(errors),
      }
}

function nothingNamed(action: string): CommandResult {
  const issues = [{ path: 'tools', message: "Required field 'tools' is missing" }]
  const hint = `Call ${MANAGE_TOOLS} with {"action": "${action}", "tools": ["name"]} or {"action": "${action}", "category": "name"}.`
  return fail('VALIDATION_ERROR', { name: MANAGE_TOOLS, issues, hint })
}
