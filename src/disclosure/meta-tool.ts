// A meta-tool from its zod schema: what it lists, and what it says to arguments that do not fit.

import { z } from 'zod'
import { decodeStringified } from '../core/decode.ts'
import { fail } from '../core/errors.ts'
import { signature } from '../core/parameters/signature.ts'
import type { CommandResult } from '../core/result.ts'
import { isRecord, toInputSchema } from '../core/schema.ts'
import { quoteList } from '../core/text.ts'
import type { JsonSchema } from '../core/tool.ts'
import { validateWith } from '../core/validate.ts'
import type { Needs } from './needs.ts'
import type { MetaTool } from './strategy.ts'
import type { View } from './view.ts'

export interface MetaToolOptions<I extends z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly input: I
  /** Where the schema that zod would print costs more tokens than one written by hand. */
  readonly inputSchema?: JsonSchema
  readonly readOnly: boolean
  /** Accept `context` too, and see the server as in that context. */
  readonly takesContext: boolean
  /** As in MetaTool. */
  needs?(args: unknown): Needs
  call(args: z.output<I>, view: View): Promise<CommandResult>
}

export function defineMetaTool<I extends z.ZodObject>(options: MetaToolOptions<I>): MetaTool {
  const { name, description, input, readOnly, takesContext } = options
  const accepted = takesContext ? input.extend({ context: z.string().optional() }) : input
  const declared = options.inputSchema ?? toInputSchema(input)
  const inputSchema = takesContext ? withContext(declared) : declared
  return {
    takesContext,
    ...(options.needs === undefined ? {} : { needs: options.needs }),
    listed: {
      name,
      description,
      inputSchema,
      annotations: readOnly ? { readOnlyHint: true } : { destructiveHint: true },
    },
    async call(args, view) {
      const checked = validateWith(accepted, decodeStringified(args === undefined ? {} : args, inputSchema))
      if (checked.ok) {
        // What is left without the context is an output of `input`, which `accepted` extends.
        return options.call((takesContext ? withoutContext(checked.value) : checked.value) as z.output<I>, view)
      }
      const hint = `Call it as ${signature(name, inputSchema)}.${misplaced(args, inputSchema)}`
      return fail(
        'VALIDATION_ERROR',
        { name, issues: checked.issues, hint },
        { details: { issues: checked.issues.slice(0, 20) } },
      )
    },
  }
}

/** Models put the arguments of the tool that is to be run beside its name. */
function misplaced(args: unknown, { properties }: JsonSchema): string {
  if (!isRecord(args) || !isRecord(properties)) return ''
  const [nested] = Object.entries(properties).find(([, one]) => isRecord(one) && isOpenObject(one)) ?? []
  const beside = Object.keys(args).filter((key) => !Object.hasOwn(properties, key))
  if (nested === undefined || beside.length === 0) return ''
  return ` What the tool itself takes goes into \`${nested}\`: ${quoteList(beside, MAX_MISPLACED)}.`
}

function isOpenObject(schema: Readonly<Record<string, unknown>>): boolean {
  return schema.type === 'object' && schema.properties === undefined
}

const MAX_MISPLACED = 10

/** Whoever made the view has seen to it. */
function withoutContext(args: unknown): Record<string, unknown> {
  const { context: _context, ...rest } = args as Record<string, unknown> // every meta-tool takes an object
  return rest
}

function withContext(schema: JsonSchema): JsonSchema {
  return {
    ...schema,
    properties: {
      ...(schema.properties as Record<string, unknown>), // a meta-tool's schema is ours and always has properties
      context: { type: 'string', description: 'Act in this context' },
    },
  }
}
