// The meta-tool afd-detail: describes up to ten commands in full, including unexposed ones and those of other contexts.

import { z } from 'zod'
import { isRecord } from '../../../core/is-record.ts'
import { type CommandError, success } from '../../../core/result.ts'
import type { JsonSchema, Tool, ToolTraits } from '../../../core/tool.ts'
import { defineMetaTool, namesArgument } from '../../meta-tool.ts'
import { toolsNamed, withSchemas } from '../../needs.ts'
import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'
import { clientHas, clientHashes, hashOf, toolToDescribe } from '../../tool-to-describe.ts'
import type { View } from '../../view.ts'

/** The full description of one command, as `afd-detail` returns it. */
export interface DetailResult extends ToolTraits {
  /** The listed name of the command. */
  readonly name: string
  /** True: the command exists. */
  readonly found: true
  /** The purpose of the command. */
  readonly description: string
  /** The declared or derived category. */
  readonly category?: string
  /** Absent if the command has no tags. */
  readonly tags?: readonly string[]
  /** The JSON Schema of the input. */
  readonly inputSchema: JsonSchema
  /** Changes only if the description, the schema or the traits change. */
  readonly hash: string
  /** Whether a call would be accepted. */
  readonly callable: boolean
}

/** The answer for a client that sent the current hash: its cached description is still valid. */
interface DetailUnchanged {
  /** The listed name of the command. */
  readonly name: string
  /** True: the command exists. */
  readonly found: true
  /** True: the hash that the client sent is the current one. */
  readonly unchanged: true
  /** Whether a call would be accepted. */
  readonly callable: boolean
}

/** The entry of `afd-detail` for a name that is not a command, or for a command that may not be described. */
export interface DetailError {
  /** The name that was asked for. */
  readonly name: string
  /** False: the entry has no description. */
  readonly found: false
  /** The reason, with similar names if there are any. */
  readonly error: CommandError
}

/** One entry in the answer of `afd-detail`. */
export type DetailEntry = DetailResult | DetailUnchanged | DetailError

const MAX_NAMES = 10

const text = { type: 'string' }

export function createDetail({ prefix }: StrategyEnvironment): MetaTool {
  return defineMetaTool({
    name: `${prefix}-detail`,
    description: `Input schema and metadata of up to ${MAX_NAMES} commands, by name. Then ${prefix}-call.`,
    // Strict: an extra field from a model would otherwise be ignored without notice.
    input: z.strictObject({
      command: namesArgument({ max: MAX_NAMES }),
      ifNot: clientHashes,
    }),
    // This schema is written by hand to save tokens in every list; `input` checks the rest.
    inputSchema: {
      type: 'object',
      properties: {
        command: { anyOf: [text, { type: 'array', items: text, maxItems: MAX_NAMES }] },
        ifNot: { description: 'hashes you know' },
      },
      required: ['command'],
    },
    readOnly: true,
    findsTools: true,
    // The description of a command is the same in every context.
    takesContext: false,
    needs: (args) => withSchemas(toolsNamed(isRecord(args) ? args.command : undefined)),
    async call({ command, ifNot: hashes }, view) {
      const startedAt = performance.now()
      const names = typeof command === 'string' ? [command] : command
      const entries = names.map((name) => describe(name, hashes, view))
      const found = entries.filter((entry) => entry.found).length
      return success(entries, {
        reasoning: `Found ${found} of ${entries.length} ${entries.length === 1 ? 'command' : 'commands'}`,
        confidence: 1,
        metadata: { executionTimeMs: Math.round((performance.now() - startedAt) * 100) / 100 },
      })
    },
  })
}

/** Returns a short entry if the client sent the current hash. */
function describe(name: string, hashes: z.output<typeof clientHashes>, view: View): DetailEntry {
  // A disabled or changed tool is not described: the new text of a changed tool may be meant to deceive.
  const found = toolToDescribe(name, view, ({ degree }) => degree !== 'disabled' && degree !== 'changed')
  if ('refused' in found) return { name, found: false, error: found.refused.error }
  const detail = cachedDetail(found.tool, found.visibility.degree === 'visible')
  if (!clientHas(detail.hash, hashes)) return detail
  return { name: detail.name, found: true, unchanged: true, callable: detail.callable }
}

// A tool object never changes, so its entry is built once. `callable` depends on the caller, so there are two entries
// per tool.
const cached = { callable: new WeakMap<Tool, DetailResult>(), refused: new WeakMap<Tool, DetailResult>() }

function cachedDetail(tool: Tool, callable: boolean): DetailResult {
  const details = callable ? cached.callable : cached.refused
  const detail = details.get(tool) ?? Object.freeze(buildDetail(tool, callable))
  details.set(tool, detail)
  return detail
}

function buildDetail(tool: Tool, callable: boolean): DetailResult {
  return {
    name: tool.listedName,
    found: true,
    description: tool.description,
    category: tool.category,
    ...(tool.tags === undefined ? {} : { tags: tool.tags }),
    ...tool.traits,
    inputSchema: tool.inputSchema,
    hash: hashOf(tool),
    callable,
  }
}
