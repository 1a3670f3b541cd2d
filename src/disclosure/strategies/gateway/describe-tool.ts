// Describes one tool in few tokens, but with everything that a call needs.

import { type ParameterList, parametersOf } from '../../../core/parameters/parameters.ts'
import { cutAtSentence, firstSentence } from '../../../core/text.ts'
import type { JsonSchema, Tool } from '../../../core/tool.ts'
import { type ExampleCall, examplesOf, type ToolWithExamples } from '../../examples.ts'
import { hashOf } from '../../tool-to-describe.ts'

interface DescribedFields extends ToolWithExamples {
  readonly server: string
  readonly tool: string
  readonly description: string
}

interface DescribeOptions {
  /** Return the full JSON Schema and description instead of the short ones. */
  readonly schema?: boolean
  readonly examples?: boolean
  /** The call that returns the full JSON Schema. The note about left-out parameters names it. */
  readonly fullSchemaBy?: string | undefined
}

export interface ToolDetails extends Partial<ParameterList> {
  readonly server: string
  readonly tool: string
  readonly description: string
  readonly examples?: readonly ExampleCall[]
  readonly schema?: JsonSchema
  readonly warnings?: readonly string[]
  /** How the tool differs from its pin: `changed`, `new`, or `unknown` if the pins cannot be read. */
  readonly change?: string
}

/** The total length to aim for. The description gets the room that the parameters leave, within its own limits. */
const ANSWER_CHARS = 420
const MIN_DESCRIPTION_CHARS = 120
const MAX_DESCRIPTION_CHARS = 320

/** Describes a tool of the catalog. With the hash, a client can avoid receiving the same description again. */
export async function detailsOf(
  tool: Tool,
  options?: DescribeOptions,
): Promise<ToolDetails & { readonly hash: string }> {
  const { sourceId, name, description, inputSchema, traits, validate, warnings = [], change } = tool
  const { examples = [] } = traits
  const described = { server: sourceId, tool: name, description, inputSchema, examples, validate }
  const noted = {
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(change === undefined ? {} : { change: change.kind }),
  }
  return { ...(await describeTool(described, options)), ...noted, hash: hashOf(tool) }
}

export async function describeTool(described: DescribedFields, options: DescribeOptions = {}): Promise<ToolDetails> {
  const { server, tool, description, inputSchema } = described
  const examples = options.examples === true ? await examplesOf(described) : []
  return {
    ...(options.schema === true
      ? { server, tool, description, schema: inputSchema }
      : inShort(described, options.fullSchemaBy)),
    ...(examples.length === 0 ? {} : { examples }),
  }
}

function inShort({ server, tool, description, inputSchema }: DescribedFields, fullSchemaBy?: string): ToolDetails {
  const list = parametersOf(inputSchema, { about: `${server} ${tool} ${firstSentence(description)}`, fullSchemaBy })
  const room = ANSWER_CHARS - JSON.stringify({ server, tool, ...list }).length
  const maxChars = Math.min(Math.max(room, MIN_DESCRIPTION_CHARS), MAX_DESCRIPTION_CHARS)
  return { server, tool, description: cutAtSentence(description, maxChars), ...list }
}
