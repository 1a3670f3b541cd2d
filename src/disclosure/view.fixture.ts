// For the tests of this folder: a view over real commands, with the real snapshot, visibility predicate and index.
// `invoke`, `batch` and `pipe` only record their arguments and return the same answer.

import { filterSnapshot, takeSnapshot } from '../catalog/snapshot.ts'
import type { Caller } from '../core/call.ts'
import { type CommandResult, success } from '../core/result.ts'
import { isVisible } from '../rules/visibility.ts'
import { bm25 } from '../search/rankers/bm25.ts'
import { createCommandSet, createCommandSource } from '../sources/commands/command-set.ts'
import type { Command } from '../sources/commands/define.ts'
import type { SourceInfo } from '../sources/source.ts'
import { lookUp, refusalOf } from './lookup.ts'
import { commandHints, type MetaTool, type StrategyEnvironment } from './strategy.ts'
import type { CallerState, ToolRef, View } from './view.ts'

export interface ViewOptions {
  /** The strategy's own tools that the view can call. */
  readonly metaTools?: readonly MetaTool[]
  readonly unexposed?: readonly Command[]
  readonly context?: string
  /** Further sources, by name. The commands themselves are the source `commands`. */
  readonly servers?: Readonly<Record<string, readonly Command[]>>
  /** The information about sources, by name. */
  readonly about?: Readonly<Record<string, Partial<SourceInfo>>>
  readonly caller?: Partial<Caller>
  /** Pass the same state to all views of one caller. */
  readonly state?: CallerState
  /** The answer of `invoke`, `batch` and `pipe`. */
  readonly answer?: CommandResult
}

export interface TestView extends View {
  /** One entry for each notification that the caller's list has changed. */
  readonly changes: readonly 'list'[]
  /** Every call: the method, the name and the input. */
  readonly calls: readonly (readonly [way: 'invoke' | 'batch' | 'pipe', name: string, input: unknown])[]
}

export const plain: StrategyEnvironment = { prefix: 'afd', hasContexts: false }
export const contextual: StrategyEnvironment = { prefix: 'afd', hasContexts: true }

export async function viewOf(commands: readonly Command[], options: ViewOptions = {}): Promise<TestView> {
  const { unexposed = [], context, answer = success('done'), metaTools = [], servers = {}, about = {} } = options
  const { signal } = new AbortController()
  const sources = Object.entries({ commands, ...servers }).map(([id, own]) =>
    createCommandSource({
      id,
      commands: createCommandSet(own),
      ...(id === 'commands' ? { unexposed: createCommandSet(unexposed) } : {}),
    }),
  )
  const ids = sources.map((source) => source.id)
  const listings = sources.map(async (source) => ({ sourceId: source.id, entries: await source.list(signal) }))
  const known = takeSnapshot(await Promise.all(listings))
  const scope = context === undefined ? {} : { context }
  const visible = filterSnapshot(known, (tool) => isVisible(tool, scope))
  const calls: (readonly ['invoke' | 'batch' | 'pipe', string, unknown])[] = []
  const log = (way: 'invoke' | 'batch' | 'pipe') => async (ref: ToolRef, input: unknown) => {
    calls.push([way, typeof ref === 'string' ? ref : ref.tool, input])
    return answer
  }
  const caller: Caller = { principal: 'test', era: 'direct', transport: 'direct', ...options.caller }
  const lookup = (ref: ToolRef) =>
    lookUp(ref, {
      all: known,
      visible,
      scope,
      sources: () => ids,
      own: () => [],
      prefix: 'afd',
      nameOf: ({ listedName }) => listedName,
    })
  const changes: 'list'[] = []
  const view: TestView = {
    calls,
    caller,
    context,
    visible,
    known,
    state: options.state ?? stateOf(),
    listChanged: () => void changes.push('list'),
    changes,
    sources: ids.map((id) => {
      const toolCount = visible.tools.filter((tool) => tool.sourceId === id).length
      return { state: 'connected', ...about[id], id, toolCount }
    }),
    lookup,
    refusal: (ref) =>
      refusalOf(ref, lookup(ref), { whyNoTools: () => undefined, hints: commandHints('afd'), prefix: 'afd', caller }),
    // The index is built on demand: most tests do not search, and some have many commands.
    async search(query, { limit }) {
      const index = await bm25(known, signal)
      return index.search(query, { limit, within: new Set(visible.tools.map((tool) => tool.id)) })
    },
    explain: async () => undefined,
    searchDisabled: async () => [],
    disabledWhere: () => [],
    deliver: async (result) => result,
    readOn: () => Promise.reject(new Error('not part of this test')),
    invoke: log('invoke'),
    decline: async (_ref, _input, refused) => refused,
    batch: (request) => log('batch')('', request),
    pipe: (request) => log('pipe')('', request),
    callMetaTool: (name, args) => metaTools.find((tool) => tool.listed.name === name)?.call(args, view),
  }
  return view
}

/** The state that the views of one caller share. Like a store, it returns copies. */
export function stateOf(): CallerState {
  const kept = new Map<string, unknown>()
  return {
    get: async (name) => structuredClone(kept.get(name)),
    set: async (name, value) => void kept.set(name, structuredClone(value)),
  }
}

/** All blocks of the answer, parsed as JSON. */
export function blocksOf(result: CommandResult): unknown[] {
  const { wire } = result
  if (wire === undefined) throw new Error(`No answer, but ${JSON.stringify(result)}`)
  return wire.content.map((block) => {
    if (block.type !== 'text') throw new Error(`A block of type ${block.type}`)
    return JSON.parse(block.text)
  })
}
