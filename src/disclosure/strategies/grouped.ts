// The strategy `grouped`: lists one tool per group of tools, which is called with an action and its parameters.

import { z } from 'zod'
import { getOrMake } from '../../core/collections.ts'
import { decodeStringified } from '../../core/decode.ts'
import { defined } from '../../core/defined.ts'
import { fail } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { signature } from '../../core/parameters/signature.ts'
import type { CommandResult } from '../../core/result.ts'
import { findSimilarTools } from '../../core/similarity.ts'
import { cutLongText, firstSentence } from '../../core/text.ts'
import type { JsonSchema, ListedTool, Tool } from '../../core/tool.ts'
import { type Group, type GroupBy, groupTools, guardGroupBy } from '../groups.ts'
import { annotationsOf, listInFull, usageMetaOf } from '../listed.ts'
import { callToolHints, defineStrategy, parameterHints } from '../strategy.ts'
import { listedAs } from '../strategy-task.ts'
import type { View } from '../view.ts'
import { builtinsFlag, createBuiltins } from './listing/listing.ts'

export const grouped = defineStrategy({
  name: 'grouped',
  options: z.strictObject({
    /** Returns the group of a tool. Default: its category. */
    groupBy: z.custom<GroupBy>((value) => typeof value === 'function', 'expected a function').optional(),
    /** Also lists afd-call, afd-batch and afd-pipe. Default: `builtins` of the strategy environment, else true. */
    builtins: z.boolean().optional(),
  }),
  flags: { builtins: builtinsFlag },
  create({ groupBy = byCategory, builtins: wanted }, environment) {
    const hasBuiltins = wanted ?? environment.builtins ?? true
    const { metaTools, listed, runner, guide } = createBuiltins(hasBuiltins, environment)
    const reserved = metaTools.map((tool) => tool.listed.name)
    const guarded = guardGroupBy(groupBy)
    // Groups all known tools, so that an action has the same name for callers that see only part of its group.
    const cache = new WeakMap<View['known'], readonly Group[]>()
    const groupsOf = ({ known }: View) => {
      const groups = cache.get(known) ?? groupTools(known, guarded, reserved)
      cache.set(known, groups)
      return groups
    }
    return {
      metaTools,
      isSelfEvident: true,
      hints: hasBuiltins ? callToolHints(environment.prefix) : parameterHints('tools/list'),
      listsCatalog: true,
      task: {
        find: (client, { group }) => listedAs(client, group),
        inspect: (client, { group }) => listedAs(client, group),
        call: (client, { group, action }, params) => client.call(group, { action, params }),
      },
      readsOn: () => runner,
      list: async (view) => [
        ...groupsOf(view).flatMap((group) => listGroup(group, view) ?? []),
        ...view.visible.tools.filter((tool) => tool.builtin === true).map(listInFull),
        ...listed,
      ],
      call(name, args, view) {
        const group = groupsOf(view).find((one) => one.name === name)
        return group === undefined ? undefined : callAction(group, args, view)
      },
      ownNames: (view) =>
        groupsOf(view)
          .filter((group) => visibleActions(group, view).length > 0)
          .map(({ name }) => name),
      guide: ['Each tool is a group of commands: call it with {"action": …, "params": {…}}.', ...guide].join('\n'),
    }
  },
})

const byCategory: GroupBy = (command) => command.category

function visibleActions(group: Group, view: View): readonly (readonly [string, Tool])[] {
  return [...group.actions].filter(([, tool]) => view.visible.get(tool.id) !== undefined)
}

function listGroup(group: Group, view: View): ListedTool | undefined {
  const actions = visibleActions(group, view)
  if (actions.length === 0) return undefined
  const tools = actions.map(([, tool]) => tool)
  const lines = actions.map(
    ([action, tool]) => `${signature(action, tool.inputSchema)}: ${firstSentence(tool.description)}`,
  )
  return defined({
    name: group.name,
    description: `Actions on ${group.title}:\n${lines.join('\n')}`,
    inputSchema: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: actions.map(([action]) => action) },
        params: { type: 'object', properties: mergeProperties(tools) },
      },
      required: ['action'],
      additionalProperties: false,
    },
    annotations: annotationsOf(tools),
    _meta: metaOf(actions),
  })
}

/** The metadata of each action, by its name. Category and tags are left out to save tokens. */
function metaOf(actions: readonly (readonly [string, Tool])[]): ListedTool['_meta'] {
  const stated = actions.flatMap(([action, tool]) => {
    const meta = usageMetaOf(tool)
    return Object.keys(meta).length === 0 ? [] : [[action, meta] as const]
  })
  return stated.length === 0 ? undefined : { actions: Object.fromEntries(stated) }
}

const LOCAL_REFERENCE = /"\$(?:dynamicRef|ref)":"#/

/** Lists each parameter of all actions once. If actions use a name with different schemas, each schema is allowed. */
function mergeProperties(tools: readonly Tool[]): JsonSchema {
  /** The different schemas of each parameter, by their JSON. */
  const schemasByName = new Map<string, Map<string, unknown>>()
  for (const { inputSchema } of tools) {
    if (!isRecord(inputSchema.properties)) continue
    for (const [name, given] of Object.entries(inputSchema.properties)) {
      const text = JSON.stringify(given)
      // A reference would point outside this schema, so any value is allowed here. The command itself still validates
      // the value.
      const mayRefer = inputSchema.$defs !== undefined || LOCAL_REFERENCE.test(text)
      getOrMake(schemasByName, name, () => new Map<string, unknown>()).set(
        mayRefer ? '{}' : text,
        mayRefer ? {} : given,
      )
    }
  }
  return Object.fromEntries(
    [...schemasByName].map(([name, schemas]) => {
      const distinct = [...schemas.values()]
      return [name, distinct.length === 1 ? distinct[0] : { anyOf: distinct }]
    }),
  )
}

async function callAction(group: Group, args: unknown, view: View): Promise<CommandResult> {
  const actions = visibleActions(group, view).map(([action]) => action)
  const refuse = (reason: string, similar: readonly string[] = []) =>
    fail('INVALID_GROUPED_CALL', { group: group.name, reason, actions, similar }, { details: { actions } })

  const decoded = decodeStringified(args === undefined ? {} : args, GROUPED_CALL)
  if (!isRecord(decoded)) return refuse('the arguments are not an object')
  const { action, params = {} } = decoded
  if (action === undefined) return refuse('`action` is missing')
  if (typeof action !== 'string') return refuse('`action` is not a string')
  const tool = group.actions.get(action) ?? [...group.actions.values()].find((one) => one.listedName === action)
  if (tool === undefined) return refuse(`it has no action '${action.slice(0, 80)}'`, findSimilarTools(action, actions))
  if (!isRecord(params)) return refuse('`params` is not an object')
  const stray = Object.keys(decoded).find((key) => key !== 'action' && key !== 'params')
  if (stray !== undefined) return refuse(`'${cutLongText(stray, 80)}' must be inside \`params\``)
  return view.invoke(tool.id, params)
}

const GROUPED_CALL: JsonSchema = { type: 'object', properties: { params: { type: 'object' } } }
