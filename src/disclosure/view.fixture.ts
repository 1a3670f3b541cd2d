// For the tests of this folder: a view over real commands, a real snapshot, the real predicate and the real index.
// What lies to the right of this folder is a log here: `invoke`, `batch` and `pipe` write down what they were given.

import { filterSnapshot, takeSnapshot } from '../catalog/snapshot.ts'
import { type CommandResult, success } from '../core/result.ts'
import { findSimilarTools } from '../core/similarity.ts'
import { isVisible, visibilityOf } from '../rules/visibility.ts'
import { bm25 } from '../search/bm25.ts'
import { createCommandSet } from '../sources/commands/command-set.ts'
import { createCommandSource } from '../sources/commands/command-source.ts'
import type { Command } from '../sources/commands/define.ts'
import type { MetaTool, StrategyEnvironment } from './strategy.ts'
import type { View } from './view.ts'

export interface ViewOptions {
  /** The tools of the strategy that the view reaches. */
  readonly metaTools?: readonly MetaTool[]
  readonly unexposed?: readonly Command[]
  readonly context?: string
  /** What `invoke`, `batch` and `pipe` answer. */
  readonly answer?: CommandResult
}

export interface TestView extends View {
  /** Every call that went through, as the way it took, the name, and the input. */
  readonly calls: readonly (readonly [way: 'invoke' | 'batch' | 'pipe', name: string, input: unknown])[]
}

export const plain: StrategyEnvironment = { prefix: 'afd', hasContexts: false }
export const contextual: StrategyEnvironment = { prefix: 'afd', hasContexts: true }

export async function viewOf(commands: readonly Command[], options: ViewOptions = {}): Promise<TestView> {
  const { unexposed = [], context, answer = success('done'), metaTools = [] } = options
  const { signal } = new AbortController()
  const source = createCommandSource({
    id: 'commands',
    commands: createCommandSet(commands),
    unexposed: createCommandSet(unexposed),
  })
  const known = takeSnapshot([{ sourceId: source.id, entries: await source.list(signal) }])
  const scope = context === undefined ? {} : { context }
  const visible = filterSnapshot(known, (tool) => isVisible(tool, scope))
  const index = await bm25(known, signal)
  const calls: (readonly ['invoke' | 'batch' | 'pipe', string, unknown])[] = []
  const log = (way: 'invoke' | 'batch' | 'pipe') => async (name: string, input: unknown) => {
    calls.push([way, name, input])
    return answer
  }
  const view: TestView = {
    calls,
    caller: { principal: 'test', era: 'direct', transport: 'direct' },
    context,
    visible,
    known,
    lookup(name) {
      const tool = known.find(name)
      if (tool !== undefined) return { found: true, tool, visibility: visibilityOf(tool, scope) }
      return { found: false, similar: findSimilarTools(name, visible.names) }
    },
    search: (query, limit) => index.search(query, { limit, within: new Set(visible.tools.map((tool) => tool.id)) }),
    invoke: log('invoke'),
    batch: (request) => log('batch')('', request),
    pipe: (request) => log('pipe')('', request),
    callMetaTool: (name, args) => metaTools.find((tool) => tool.listed.name === name)?.call(args, view),
  }
  return view
}
