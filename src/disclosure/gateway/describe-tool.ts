// What get_tool_details says of one tool: enough to call it, in as few tokens as that takes.

import { exampleArguments } from '../../core/parameters/example-arguments.ts'
import { type ParameterList, parametersOf } from '../../core/parameters/parameters.ts'
import { cutAtSentence, firstSentence } from '../../core/text.ts'
import type { JsonSchema, ToolEntry, ToolExample } from '../../core/tool.ts'

export interface DescribedTool {
  readonly server: string
  readonly tool: string
  readonly description: string
  readonly inputSchema: JsonSchema
  /** Written by the author. */
  readonly examples?: readonly ToolExample[]
  /** Without it no example is generated: one that would be refused is worse than none. */
  readonly validate?: ToolEntry['validate']
}

export interface DescribeOptions {
  /** The full JSON Schema and description in place of the short ones. */
  readonly schema?: boolean
  readonly examples?: boolean
}

export interface ExampleCall {
  readonly description: string
  readonly parameters: unknown
}

export interface ToolDetails extends Partial<ParameterList> {
  readonly server: string
  readonly tool: string
  readonly description: string
  readonly examples?: readonly ExampleCall[]
  readonly schema?: JsonSchema
}

/** The tool's description gets the room that its parameters leave of this, within limits of its own. */
const ANSWER_CHARS = 420
const MIN_DESCRIPTION_CHARS = 120
const MAX_DESCRIPTION_CHARS = 320
const MAX_EXAMPLES = 3
const MAX_EXAMPLE_CHARS = 2_000

export async function describeTool(described: DescribedTool, options: DescribeOptions = {}): Promise<ToolDetails> {
  const examples = options.examples === true ? await examplesOf(described) : []
  return {
    ...(options.schema === true ? inFull(described) : inShort(described)),
    ...(examples.length === 0 ? {} : { examples }),
  }
}

function inFull({ server, tool, description, inputSchema }: DescribedTool): ToolDetails {
  return { server, tool, description, schema: inputSchema }
}

function inShort({ server, tool, description, inputSchema }: DescribedTool): ToolDetails {
  const list = parametersOf(inputSchema, { about: `${server} ${tool} ${firstSentence(description)}` })
  const room = ANSWER_CHARS - JSON.stringify({ server, tool, ...list }).length
  const maxChars = Math.min(Math.max(room, MIN_DESCRIPTION_CHARS), MAX_DESCRIPTION_CHARS)
  return { server, tool, description: cutAtSentence(description, maxChars), ...list }
}

async function examplesOf({ inputSchema, examples = [], validate }: DescribedTool): Promise<readonly ExampleCall[]> {
  const written = examples.map(asWritten).filter(({ parameters }) => isShort(parameters))
  if (written.length > 0) return written.slice(0, MAX_EXAMPLES)
  if (validate === undefined) return []
  const declared = Array.isArray(inputSchema.examples) ? inputSchema.examples.slice(0, MAX_EXAMPLES) : []
  const found: ExampleCall[] = []
  const addIfValid = async (description: string, parameters: unknown) => {
    if (isShort(parameters) && (await isAccepted(parameters, validate))) found.push({ description, parameters })
  }
  for (const parameters of declared) await addIfValid('Example by the server', parameters)
  if (found.length === 0) await addIfValid('Smallest call', exampleArguments(inputSchema))
  return found
}

function asWritten({ title, description, input }: ToolExample): ExampleCall {
  return { description: description ?? title ?? 'Example', parameters: input }
}

/** A check that an author wrote may throw; then there is no example, and the rest of the answer stands. */
async function isAccepted(parameters: unknown, validate: ToolEntry['validate']): Promise<boolean> {
  try {
    return (await validate(parameters)).ok
  } catch {
    return false
  }
}

/** Also false where JSON cannot be written of it: what a server nests too deeply. */
function isShort(parameters: unknown): boolean {
  try {
    return JSON.stringify(parameters).length <= MAX_EXAMPLE_CHARS
  } catch {
    return false
  }
}
