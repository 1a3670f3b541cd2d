// Example calls of a tool: those of its author, else the valid examples in its schema, else the smallest valid call.

import { exampleArguments } from '../core/parameters/example-arguments.ts'
import type { JsonSchema, ToolEntry, ToolExample } from '../core/tool.ts'

export interface ToolWithExamples {
  readonly inputSchema: JsonSchema
  /** Examples that the author wrote. */
  readonly examples?: readonly ToolExample[] | undefined
  /** If absent, only the author's examples are returned: an example that would be refused is worse than none. */
  readonly validate?: ToolEntry['validate']
}

export interface ExampleCall {
  readonly description: string
  readonly parameters: unknown
}

const MAX_EXAMPLES = 3
const MAX_EXAMPLE_CHARS = 2_000

export async function examplesOf({
  inputSchema,
  examples = [],
  validate,
}: ToolWithExamples): Promise<readonly ExampleCall[]> {
  const written = examples
    .map(({ title, description, input }) => ({ description: description ?? title ?? 'Example', parameters: input }))
    .filter(({ parameters }) => isShort(parameters))
  if (written.length > 0) return written.slice(0, MAX_EXAMPLES)
  if (validate === undefined) return []
  const declared = Array.isArray(inputSchema.examples) ? inputSchema.examples.slice(0, MAX_EXAMPLES) : []
  const found: ExampleCall[] = []
  const addIfValid = async (description: string, parameters: unknown) => {
    if (isShort(parameters) && (await isAccepted(parameters, validate))) found.push({ description, parameters })
  }
  for (const parameters of declared) await addIfValid('Example from the schema', parameters)
  if (found.length === 0) await addIfValid('Smallest call', exampleArguments(inputSchema))
  return found
}

/** Returns false if `validate` throws, which an author's own check may do. */
async function isAccepted(parameters: unknown, validate: ToolEntry['validate']): Promise<boolean> {
  try {
    return (await validate(parameters)).ok
  } catch {
    return false
  }
}

/** Returns false if the value cannot be written as JSON, for example because it is nested too deeply. */
function isShort(parameters: unknown): boolean {
  try {
    return JSON.stringify(parameters).length <= MAX_EXAMPLE_CHARS
  } catch {
    return false
  }
}
