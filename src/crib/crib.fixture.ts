// For tests: a crib over commands, and requests to it.

import { createContextCommands } from '../sources/commands/builtin-commands.ts'
import { createCommandSet, createCommandSource } from '../sources/commands/command-set.ts'
import type { Command } from '../sources/commands/define.ts'
import { type Crib, createCrib } from './crib.ts'
import type { CribOptions } from './crib-options.ts'
import type { Request } from './request.ts'

export interface CribSetup extends Partial<Omit<CribOptions, 'sources' | 'contexts'>> {
  readonly unexposed?: readonly Command[]
  /** The names of contexts. The commands to enter and leave them are added. */
  readonly contexts?: readonly string[]
}

export interface TestCrib extends Crib {
  register(...commands: readonly Command[]): void
}

export function cribOf(commands: readonly Command[], setup: CribSetup = {}): TestCrib {
  const { unexposed = [], contexts = [], ...rest } = setup
  const set = createCommandSet(commands)
  if (contexts.length > 0) set.register(...createContextCommands(rest.prefix ?? 'afd'))
  const source = createCommandSource({ id: 'commands', commands: set, unexposed: createCommandSet(unexposed) })
  const crib = createCrib({
    about: { name: 'test', version: '1.0.0' },
    sources: [source],
    strategy: 'individual',
    contexts: contexts.map((name) => ({ name })),
    ...rest,
  })
  return { ...crib, register: (...added) => set.register(...added) }
}

/** A request from a client with a session if an id is given, else without one. */
export function requestOf(sessionId?: string, fields: Partial<Request> = {}): Request {
  return {
    caller:
      sessionId === undefined
        ? { principal: 'test', era: 'modern', transport: 'memory' }
        : { principal: 'test', era: 'legacy', transport: 'memory', sessionId },
    signal: new AbortController().signal,
    ...fields,
  }
}

/** Waits until all pending promise callbacks have run. Does not wait for timers or I/O. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
