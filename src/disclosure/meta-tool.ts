// Builds a meta-tool from its zod schema: its entry in the listing, and the error for arguments that do not fit.

import { z } from 'zod'
import { decodeStringified } from '../core/decode.ts'
import { fail } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { signature } from '../core/parameters/signature.ts'
import type { CommandResult } from '../core/result.ts'
import { toInputSchema } from '../core/schema.ts'
import { quoteList } from '../core/text.ts'
import type { JsonSchema } from '../core/tool.ts'
import { validateWith } from '../core/validate.ts'
import { issueDetails } from '../core/validation-issue.ts'
import { type Needs, parseNames } from './needs.ts'
import type { MetaTool } from './strategy.ts'
import type { View } from './view.ts'

/** The options of `defineMetaTool`. */
export interface MetaToolOptions<I extends z.ZodObject> {
  /** The name that clients call. */
  readonly name: string
  /** The purpose of the tool, for the model. */
  readonly description: string
  /** The schema of the arguments. */
  readonly input: I
  /** A hand-written schema, if the one that zod prints costs more tokens. */
  readonly inputSchema?: JsonSchema
  /** True: clients get `readOnlyHint`. False: they get `destructiveHint`. */
  readonly readOnly: boolean
  /** Also accept `context`, and use the view of that context. */
  readonly takesContext: boolean
  /** See MetaTool. Default: false. */
  readonly findsTools?: boolean
  /** See MetaTool. */
  needs?(args: unknown): Needs
  /** True for valid arguments that need no decoding and no defaults. They are not checked against the schema. */
  isPlain?(args: unknown): boolean
  /** Answers a call. Unless `isPlain` accepts the arguments, they are checked and have the defaults of the schema. */
  call(args: z.output<I>, view: View): Promise<CommandResult>
}

/**
 * Defines a tool of a strategy, for example one that finds other tools.
 *
 * @example
 * ```ts
 * const find = defineMetaTool({
 *   name: 'find_tools',
 *   description: 'Find tools by what they do.',
 *   input: z.strictObject({ query: z.string() }),
 *   readOnly: true,
 *   takesContext: false,
 *   findsTools: true,
 *   call: async ({ query }, view) => success(await view.search(query, { limit: 5 })),
 * })
 * ```
 */
export function defineMetaTool<I extends z.ZodObject>(options: MetaToolOptions<I>): MetaTool {
  const { name, description, input, readOnly, takesContext, findsTools = false } = options
  const accepted = takesContext ? input.extend({ context: z.string().optional() }) : input
  const declared = options.inputSchema ?? toInputSchema(input)
  const inputSchema = takesContext ? withContext(declared) : declared
  return {
    takesContext,
    findsTools,
    ...(options.needs === undefined ? {} : { needs: options.needs }),
    listed: {
      name,
      description,
      inputSchema,
      annotations: readOnly ? { readOnlyHint: true } : { destructiveHint: true },
    },
    call(args, view) {
      // `call` can use arguments that `isPlain` accepts, although they lack the defaults of the schema.
      return options.isPlain?.(args) === true ? options.call(args as z.output<I>, view) : callChecked(args, view)
    },
  }

  async function callChecked(args: unknown, view: View): Promise<CommandResult> {
    const checked = validateWith(accepted, decodeStringified(args === undefined ? {} : args, inputSchema))
    if (checked.ok) {
      // Without the context this is an output of `input`, because `accepted` extends it.
      return options.call((takesContext ? withoutContext(checked.value) : checked.value) as z.output<I>, view)
    }
    const hint = `Call it as ${signature(name, inputSchema)}.${describeMisplaced(args, inputSchema)}`
    return fail(
      'VALIDATION_ERROR',
      { name, issues: checked.issues, hint },
      { details: { issues: issueDetails(checked.issues.slice(0, 20)) } },
    )
  }
}

/** The schema of an argument with one name or a list of names. A list that was sent as JSON text is parsed first. */
export function namesArgument({ min = 1, max }: { readonly min?: number; readonly max: number }) {
  return z.preprocess(parseNames, z.union([z.string().min(1), z.array(z.string().min(1)).min(min).max(max)]))
}

/** Returns a test: is there a non-empty text in each field of `names`, an object in `object`, and no other field? */
export function createPlainCheck(names: readonly string[], object: string): (args: unknown) => boolean {
  const count = names.length + 1
  return (args) => {
    if (!isRecord(args) || !isRecord(args[object])) return false
    for (const name of names) if (typeof args[name] !== 'string' || args[name] === '') return false
    return Object.keys(args).length === count
  }
}

const MAX_MISPLACED = 10

/** A hint for models that put the arguments of the tool to run next to its name. */
function describeMisplaced(args: unknown, { properties }: JsonSchema): string {
  if (!isRecord(args) || !isRecord(properties)) return ''
  const isOpenObject = (one: unknown) => isRecord(one) && one.type === 'object' && one.properties === undefined
  const [nested] = Object.entries(properties).find(([, one]) => isOpenObject(one)) ?? []
  const beside = Object.keys(args).filter((key) => !Object.hasOwn(properties, key))
  if (nested === undefined || beside.length === 0) return ''
  return ` Move the arguments of the tool itself into \`${nested}\`: ${quoteList(beside, MAX_MISPLACED)}.`
}

/** Removes the context, because it has already selected the view. */
function withoutContext(args: unknown): Record<string, unknown> {
  const { context: _context, ...rest } = args as Record<string, unknown> // every meta-tool takes an object
  return rest
}

function withContext(schema: JsonSchema): JsonSchema {
  return {
    ...schema,
    properties: {
      ...(schema.properties as Record<string, unknown>), // the schema of a meta-tool always has properties
      context: { type: 'string', description: 'Act in this context' },
    },
  }
}
