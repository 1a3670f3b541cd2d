// Builds meta-tools that run another tool. If results are kept, they also read more of a result that was cut.

import { z } from 'zod'
import { fail } from '../core/errors.ts'
import type { CommandResult, FailureResult } from '../core/result.ts'
import { anyObject } from '../core/schema.ts'
import { defineMetaTool, type MetaToolOptions } from './meta-tool.ts'
import { toolToRun } from './needs.ts'
import type { MetaTool, StrategyEnvironment } from './strategy.ts'
import type { View } from './view.ts'

interface RunToolOptions extends Pick<MetaToolOptions<z.ZodObject>, 'name' | 'description' | 'isPlain'> {
  /** The field that names the tool to run. */
  readonly toolField: 'tool' | 'command'
  /** The field with the arguments of the tool to run. */
  readonly inputField: 'arguments' | 'input'
  /** The tool that finds tools. The error for a call without a tool names it. */
  readonly find: string
  run(tool: string, input: Readonly<Record<string, unknown>>, view: View): Promise<CommandResult>
}

/** The arguments with which a caller reads more of a result. The field that names the tool must then be optional. */
export const readOnShape = {
  handle: z.string().min(1).optional(),
  offset: z.int().min(0).default(0),
}

const readOnProperties = {
  handle: { type: 'string', minLength: 1 },
  offset: { type: 'integer', minimum: 0 },
}

export const READ_ON = 'A long result is cut and names a handle: pass handle and offset to read on.'

/** If the server keeps results, the tool also accepts `handle` and `offset`. */
export function defineRunTool(
  { hasContexts, keepsResults = false }: StrategyEnvironment,
  { toolField, inputField, find, run, description, ...rest }: RunToolOptions,
): MetaTool {
  const tool = z.string().min(1)
  const properties = { [toolField]: { type: 'string', minLength: 1 }, [inputField]: { type: 'object' } }
  return defineMetaTool({
    ...rest,
    description: keepsResults ? `${description} ${READ_ON}` : description,
    // Strict: a field next to the arguments of the tool would otherwise be lost without notice.
    input: z.strictObject({
      [toolField]: keepsResults ? tool.optional() : tool,
      [inputField]: anyObject.default({}),
      ...(keepsResults ? readOnShape : {}),
    }),
    inputSchema: {
      type: 'object',
      properties: keepsResults ? { ...properties, ...readOnProperties } : properties,
      ...(keepsResults ? {} : { required: [toolField] }),
      additionalProperties: false,
    },
    readOnly: false,
    takesContext: hasContexts,
    needs: (args) => toolToRun(args, toolField),
    call(args, view) {
      const { handle, offset, [toolField]: wanted, [inputField]: input } = args as RunArguments // the schema has checked them
      if (handle !== undefined) return view.readOn(handle, offset)
      return wanted === undefined ? Promise.resolve(nothingToRun(rest.name, toolField, find)) : run(wanted, input, view)
    },
  })
}

interface RunArguments {
  readonly tool?: string
  readonly command?: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly input: Readonly<Record<string, unknown>>
  readonly handle?: string
  readonly offset: number
}

/** The error for a call with neither a tool nor a handle. `field` names the tool to run: `tool` or `command`. */
export function nothingToRun(name: string, field: string, find: string): FailureResult {
  const issues = [{ path: field, message: `Required field '${field}' is missing` }]
  return fail('VALIDATION_ERROR', { name, issues, hint: `Use ${find} to find a ${field}.` })
}
