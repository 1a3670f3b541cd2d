// Test fixture: a minimal catalog entry, a call context, and a source that the test controls.

import type { CommandContext } from '../core/call.ts'
import { createListeners } from '../core/listeners.ts'
import { deriveCategory } from '../core/names.ts'
import { success } from '../core/result.ts'
import type { ToolEntry } from '../core/tool.ts'
import type { ToolSource } from './source.ts'

export function entryOf(name: string, fields: Partial<ToolEntry> = {}): ToolEntry {
  return {
    name,
    description: `The tool ${name}`,
    defaultCategory: deriveCategory(name),
    inputSchema: { type: 'object' },
    traits: {},
    validate: (value) => ({ ok: true, value }),
    ...fields,
  }
}

export function contextOf(fields: Partial<CommandContext> = {}): CommandContext {
  return {
    command: { name: 'todo-list', category: 'todo' },
    caller: { principal: 'test', era: 'direct', transport: 'direct' },
    traceId: 'trace-1',
    signal: new AbortController().signal,
    progress: () => {},
    log: () => {},
    introspect: () => Promise.reject(new Error('not part of this test')),
    ...fields,
  }
}

export interface ScriptedSource extends ToolSource {
  onChange(listener: () => void): () => void
  readonly timesListed: () => number
  readonly timesDisposed: () => number
  readonly listenerCount: () => number
  /** Sets the listing that list() returns from now on. An Error makes list() fail, a promise delays it. */
  script(listing: Listing | Promise<Listing>): void
  /** Notifies the listeners that the list has changed. */
  announce(): void
}

type Listing = readonly ToolEntry[] | Error

export function scriptedSource(id: string, names: readonly string[]): ScriptedSource {
  let listing: Listing | Promise<Listing> = names.map((name) => entryOf(name))
  let listed = 0
  let disposed = 0
  const listeners = createListeners()
  return {
    id,
    timesListed: () => listed,
    timesDisposed: () => disposed,
    listenerCount: () => listeners.size,
    script(next) {
      listing = next
    },
    announce: listeners.tell,
    async list() {
      listed++
      const current = await listing
      if (current instanceof Error) throw current
      return current
    },
    call: async (name, input) => success({ source: id, name, input }),
    onChange: listeners.add,
    async [Symbol.asyncDispose]() {
      disposed++
    },
  }
}
