// npm run bench:details: the cost of get_tool_details for real tools, and whether its answer is enough to call them.
// --short measures every fourth tool.

import { createSchemaValidator } from '../src/core/json-schema.ts'
import { exampleArguments } from '../src/core/parameters/example-arguments.ts'
import { signature } from '../src/core/parameters/signature.ts'
import { messageOf } from '../src/core/text.ts'
import { loadTokenCounter } from '../src/core/tokens.ts'
import { describeTool, type ToolDetails } from '../src/disclosure/strategies/gateway/describe-tool.ts'
import { buildArguments, type Filled } from './build-arguments.ts'
import { type CatalogTool, readCatalog } from './catalog-data.ts'
import { report } from './report.ts'
import { median, quantile } from './speed/figures.ts'

const TIMED_ROUNDS = 5
const REFUSED_SHOWN = 20

interface Described {
  readonly tool: CatalogTool
  readonly answer: ToolDetails
  /** The text that the model reads. */
  readonly text: string
}

const step = process.argv.includes('--short') ? 4 : 1
const catalog = readCatalog()?.filter((_, at) => at % step === 0)
if (catalog !== undefined) await measure(catalog)

async function measure(tools: readonly CatalogTool[]): Promise<void> {
  const described: Described[] = []
  for (const tool of tools) {
    const answer = await describe(tool)
    described.push({ tool, answer, text: JSON.stringify(answer) })
  }
  const count = await loadTokenCounter()
  const tokens = described.map(({ text }) => count(text))
  const schemaTokens = tools.map(({ inputSchema }) => count(JSON.stringify(inputSchema)))
  const signatureTokens = tools.map(({ name, inputSchema }) => count(signature(name, inputSchema)))
  const times = await timesOf(tools)
  report(
    'details',
    `get_tool_details of ${tools.length} tools of real servers (tokens: o200k; compact JSON)`,
    [
      { what: 'answer, tokens', ...spread(tokens) },
      { what: 'its signature alone, tokens', ...spread(signatureTokens) },
      { what: 'its JSON Schema alone, tokens', ...spread(schemaTokens) },
      { what: 'time of one answer, us', ...spread(times) },
    ],
    [
      { what: 'tokens of an answer, p50', value: quantile(tokens, 0.5), max: 120 },
      { what: 'tokens of an answer, p90', value: quantile(tokens, 0.9), max: 400 },
      { what: 'microseconds of an answer, p95', value: quantile(times, 0.95), max: 1_000 },
    ],
  )
  const tries = [
    await tryAll('from the answer, required parameters', described, ({ text }) => buildFromText(text, 'required')),
    await tryAll('from the answer, all parameters', described, ({ text }) => buildFromText(text, 'all')),
    await tryAll('exampleArguments of the schema', described, ({ tool }) => exampleArguments(tool.inputSchema)),
  ]
  const shortened = described.filter(({ answer }) => answer.note !== undefined).length
  report(
    'details-arguments',
    `Arguments checked against the tool's own JSON Schema (${shortened} answers say that they leave something out)`,
    tries.map(({ what, refused, unchecked }) => ({
      arguments: what,
      accepted: tools.length - refused.length,
      refused: refused.length,
      'schemas not fully checked': unchecked,
      'accepted, %': rounded(100 - percentOf(refused.length, tools.length)),
    })),
    tries.map(({ what, refused }) => ({
      what: `percent refused, ${what}`,
      value: percentOf(refused.length, tools.length),
      max: 5,
    })),
  )
  for (const { what, refused } of tries) {
    for (const line of refused.slice(0, REFUSED_SHOWN)) console.log(`refused, ${what}: ${line}`)
  }
}

/** Parses the text again, so that only information in the text is used. */
function buildFromText(text: string, filled: Filled): unknown {
  try {
    // `measure` wrote this text from a ToolDetails.
    return buildArguments(JSON.parse(text) as ToolDetails, filled)
  } catch (error) {
    console.log(`not understood: ${messageOf(error)}`)
    return undefined
  }
}

async function tryAll(what: string, described: readonly Described[], argumentsFor: (one: Described) => unknown) {
  const unusable = new Set<unknown>()
  const validator = createSchemaValidator({ onProblem: (schema) => unusable.add(schema) })
  const refused: string[] = []
  for (const one of described) {
    const name = `${one.tool.server}:${one.tool.name}`
    const args = argumentsFor(one)
    const checked = args === undefined ? undefined : await validator.validate(one.tool.inputSchema, args)
    if (checked === undefined) refused.push(`${name}: no arguments could be built`)
    else if (!checked.ok) refused.push(`${name}: ${checked.issues.map(({ message }) => message).join('; ')}`)
  }
  return { what, refused, unchecked: unusable.size }
}

/** Takes the median of several rounds for each tool, so that a pause of the machine does not count. */
async function timesOf(tools: readonly CatalogTool[]): Promise<readonly number[]> {
  const rounds: number[][] = []
  for (let round = 0; round < TIMED_ROUNDS; round++) {
    const times: number[] = []
    for (const tool of tools) {
      const startedAt = performance.now()
      await describe(tool)
      times.push((performance.now() - startedAt) * 1_000)
    }
    rounds.push(times)
  }
  return tools.map((_, index) => rounded(median(rounds.map((times) => times[index] ?? 0))))
}

function describe({ server, name, description, inputSchema }: CatalogTool): Promise<ToolDetails> {
  return describeTool({ server, tool: name, description, inputSchema })
}

function spread(values: readonly number[]) {
  const [p50, p90, p95, p99, max] = [0.5, 0.9, 0.95, 0.99, 1].map((share) => quantile(values, share))
  return { p50: p50 ?? 0, p90: p90 ?? 0, p95: p95 ?? 0, p99: p99 ?? 0, max: max ?? 0 }
}

function percentOf(part: number, whole: number): number {
  return rounded((part / whole) * 100)
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
