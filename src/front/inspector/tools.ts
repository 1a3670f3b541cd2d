// The tools for the inspector: all of them as rows, and one tool in full.

import { defined } from '../../core/defined.ts'
import { lineDiff } from '../../core/line-diff.ts'
import { parametersOf } from '../../core/parameters/parameters.ts'
import { firstSentence, shellWord } from '../../core/text.ts'
import type { DescribedTool, Tool } from '../../core/tool.ts'
import { atMost } from '../../core/waiting.ts'
import { annotationsOf } from '../../disclosure/listed.ts'
import type { TaskClient } from '../../disclosure/strategy-task.ts'
import { statesReadOnly } from '../../rules/rights.ts'
import { formLines, type ToolPin } from '../../sources/upstream/pins/pin-record.ts'
import type { InspectorTool, InspectorToolRow, InspectorTools } from './api.ts'
import { countCalls, usageOf } from './call-figures.ts'
import type { CallHistory } from './call-history.ts'
import { type ComparedStrategies, taskToolOf } from './compared-strategies.ts'
import type { InspectorOptions } from './inspector-options.ts'
import type { RuleBook } from './rule-book.ts'
import type { TokenCosts } from './token-costs.ts'
import { Refusal, toolsOf, type Visit } from './visit.ts'

interface ToolsOptions {
  readonly gateway: InspectorOptions['gateway']
  readonly tokens: TokenCosts
  readonly history: CallHistory
  readonly strategies: ComparedStrategies
  readonly rules: RuleBook
}

/** How long to wait for the tokens. The page asks again for those that are missing. */
const MAX_WAIT_MS = 200
const MAX_DIFF_LINES = 400

export function createToolPages({ gateway, tokens, history, strategies, rules }: ToolsOptions) {
  const versions = createVersions()

  const rowOf = (tool: Tool, { view }: Visit, calls: number): InspectorToolRow => {
    const cost = tokens.of(tool)
    return {
      id: tool.id,
      server: tool.sourceId,
      name: tool.name,
      summary: firstSentence(tool.description),
      category: tool.category,
      tags: tool.tags ?? [],
      availability: view.visible.get(tool.id) !== undefined ? 'enabled' : whyHidden(tool),
      ...(tool.change === undefined ? {} : { change: tool.change.kind }),
      ...readOnlyOf(tool),
      ...(cost === undefined ? {} : { tokens: cost }),
      calls,
      warnings: tool.warnings?.length ?? 0,
    }
  }
  return {
    async list(visit: Visit): Promise<InspectorTools> {
      const tools = toolsOf(visit)
      await Promise.all([atMost(MAX_WAIT_MS, tokens.count(tools)), history.refresh()])
      const counts = countCalls(history.past(), visit)
      return {
        version: versions.of(visit),
        isCounting: tools.some((tool) => tokens.of(tool) === undefined),
        tools: tools.map((tool) => rowOf(tool, visit, counts.get(tool.id) ?? 0)),
      }
    },
    async one(visit: Visit): Promise<InspectorTool> {
      const id = visit.query.get('id') ?? ''
      const tool = toolsOf(visit).find((one) => one.id === id)
      if (tool === undefined) {
        const message = 'There is no such tool, or your token does not allow it.'
        throw new Refusal({ status: 404, code: 'TOOL_NOT_FOUND', message })
      }
      await Promise.all([tokens.count([tool]), history.refresh()])
      const usage = usageOf(id, history.past(), visit)
      const annotations = tool.annotations ?? annotationsOf([tool])
      const rule = visit.isUnlimited ? rules.deciding(tool) : undefined
      return {
        ...rowOf(tool, visit, usage.calls),
        description: tool.description,
        inputSchema: tool.inputSchema,
        ...defined({ title: tool.title, outputSchema: tool.outputSchema, annotations, rule }),
        warningTexts: tool.warnings ?? [],
        signature: signatureOf(tool),
        ...(await callNameOf(tool, visit, strategies)),
        pin: await pinOf(tool, visit),
        usage,
      }
    },
  }

  async function pinOf(tool: Tool, { isUnlimited }: Visit): Promise<InspectorTool['pin']> {
    const state = pinStateOf(tool, await gateway.pinOf(tool.sourceId, tool.name))
    const needsApproval = state.state === 'changed' || state.state === 'new'
    // Only the person who runs the gateway can approve a tool.
    const command = `toolcrib pins approve ${shellWord(`${tool.sourceId}:${tool.name}`)}`
    return needsApproval && isUnlimited ? { ...state, command } : state
  }
}

/** The name by which tools/call reaches a tool under the current strategy, and the call that must come before it. */
async function callNameOf(
  tool: Tool,
  { view, signal }: Visit,
  strategies: ComparedStrategies,
): Promise<Pick<InspectorTool, 'callName' | 'prepare'>> {
  const current = strategies.create(strategies.current, signal)
  // A group of tools can have the same name as a tool. An id is never the name of a group.
  const isTaken = current?.strategy.ownNames?.(view).includes(tool.listedName) === true
  const callName = isTaken ? tool.id : tool.listedName
  const task = current?.strategy.task
  if (current === undefined || task?.prepare === undefined) return { callName }
  const listed = await current.list(view)
  if (listed.some(({ name }) => name === tool.listedName)) return { callName }
  // The script of the strategy runs with a client that only records its calls. The first call prepares the tool.
  const calls: NonNullable<InspectorTool['prepare']>[] = []
  const recordCall = async (name: string, args: Readonly<Record<string, unknown>>) => {
    calls.push({ name, arguments: args })
    return ''
  }
  const client: TaskClient<string> = { list: async () => listed, call: recordCall, ask: recordCall }
  await task.prepare(client, taskToolOf(tool, ''))
  const [prepare] = calls
  return { callName, ...(prepare === undefined ? {} : { prepare }) }
}

/** `blocked` only if no rule disables the tool: otherwise it stays refused after its change is approved. */
function whyHidden({ disabled, change }: Tool): InspectorToolRow['availability'] {
  return disabled === undefined && change?.isBlocked === true ? 'blocked' : 'disabled'
}

/** The state of the pin of a tool, and how the tool differs from its pinned form. */
function pinStateOf({ change }: Pick<Tool, 'change'>, pin: ToolPin | undefined): InspectorTool['pin'] {
  const pinnedAt = pin?.pinned === undefined ? {} : { pinnedAt: new Date(pin.pinned.at).toISOString() }
  if (change === undefined) return { state: pin?.pinned === undefined ? 'none' : 'pinned', ...pinnedAt }
  const diff = diffOf(pin)
  return {
    state: change.kind,
    ...pinnedAt,
    ...(diff.length === 0 ? {} : { diff }),
  }
}

/**
 * Returns how a tool differs from its pin, as lines that start with `+`, `-`, a space or `…`. Empty if one of the two
 * texts was too long to be stored.
 */
function diffOf(pin: ToolPin | undefined): readonly string[] {
  if (pin?.seen?.text === undefined || (pin.pinned !== undefined && pin.pinned.text === undefined)) return []
  const lines = lineDiff(formLines(pin.pinned?.text), formLines(pin.seen.text))
  const shown = lines.slice(0, MAX_DIFF_LINES).map(({ sign, line }) => `${sign} ${line}`.trimEnd())
  return lines.length <= MAX_DIFF_LINES ? shown : [...shown, '…']
}

/** Empty if the tool does not state whether it only reads. */
function readOnlyOf(tool: DescribedTool): Pick<InspectorToolRow, 'isReadOnly'> {
  if (statesReadOnly(tool)) return { isReadOnly: true }
  const isStated = tool.annotations?.readOnlyHint !== undefined || tool.traits.mutation !== undefined
  return isStated ? { isReadOnly: false } : {}
}

/** One line per parameter, in the words of get_tool_details. */
function signatureOf({ sourceId, name, description, inputSchema }: Tool): string {
  const about = `${sourceId} ${name} ${firstSentence(description)}`
  const { parameters, oneOf = [], note } = parametersOf(inputSchema, { about })
  const lines = parameters.map((one) => {
    const mark = one.required ? '' : '?'
    return `${one.name}${mark}: ${one.type}${one.description === undefined ? '' : ` (${one.description})`}`
  })
  return [...lines, ...oneOf.map((form) => `one of: ${form}`), ...(note === undefined ? [] : [note])].join('\n')
}

/** Creates version texts: one for each state of the catalog, as one caller sees it. */
function createVersions() {
  // The next process counts from the same number, so the text also has the time of the start.
  const startedAt = Date.now().toString(36)
  const numbers = new WeakMap<object, number>()
  let last = 0
  const numberOf = (snapshot: object) => {
    const number = numbers.get(snapshot) ?? ++last
    numbers.set(snapshot, number)
    return number
  }
  return { of: ({ view }: Visit) => [startedAt, numberOf(view.known), numberOf(view.visible)].join('-') }
}
