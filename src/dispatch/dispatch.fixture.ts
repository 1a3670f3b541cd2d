// Test fixture: runs commands by their names through a dispatcher.

import { randomUUID } from 'node:crypto'
import { takeSnapshot } from '../catalog/snapshot.ts'
import type { CallFields } from '../core/call.ts'
import type { CommandResult } from '../core/result.ts'
import { addSignal, type StopSignal } from '../core/stop-signal.ts'
import { commandHints } from '../disclosure/strategy.ts'
import { createCommandSet, createCommandSource } from '../sources/commands/command-set.ts'
import type { Command } from '../sources/commands/define.ts'
import { createDispatcher, type DispatcherOptions } from './dispatch.ts'

type TestCall = Partial<Pick<CallFields, 'caller' | 'traceId' | 'relay'>> & { readonly signal?: StopSignal }
type Run = (name: string, input?: unknown, call?: TestCall) => Promise<CommandResult>

/** Returns a function that runs one of the commands. */
export async function createRunner(
  commands: readonly Command[],
  options: Partial<DispatcherOptions> = {},
): Promise<Run> {
  const { signal } = new AbortController()
  const source = createCommandSource({ id: 'commands', commands: createCommandSet(commands) })
  const tools = takeSnapshot([{ sourceId: source.id, entries: await source.list(signal) }])
  const dispatcher = createDispatcher({
    source: (id) => (id === source.id ? source : undefined),
    middleware: [],
    invalid: (tool) => ({ ...commandHints('afd').invalid(tool), name: tool.listedName }),
    devMode: false,
    ...options,
  })
  return (name, input, { signal: stop = signal, ...given } = {}) => {
    const tool = tools.find(name)
    if (tool === undefined) throw new Error(`no ${name}`)
    const call = {
      caller: { principal: 'test', era: 'direct', transport: 'direct' },
      traceId: randomUUID(),
      progress() {},
      log() {},
      introspect: () => Promise.reject(new Error('not part of this test')),
      ...given,
    } as const
    return dispatcher.run(tool, input, addSignal(call, stop))
  }
}
