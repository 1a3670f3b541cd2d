// createCommandRegistry: commands that can be registered, listed and run without a server.

import type { Middleware } from '../core/call.ts'
import { defaultMiddleware } from '../dispatch/middleware/defaults.ts'
import { type CommandSet, createCommandSet } from '../sources/commands/command-set.ts'
import { createCommandSource } from '../sources/commands/command-source.ts'
import { createCrib } from './crib.ts'
import { createExecutor, type Executor } from './execute.ts'

export interface CommandRegistry extends CommandSet, Executor {}

export interface CommandRegistryOptions {
  /** Replaces the default middleware. */
  readonly middleware?: readonly Middleware[]
}

export function createCommandRegistry({ middleware }: CommandRegistryOptions = {}): CommandRegistry {
  const commands = createCommandSet()
  const crib = createCrib({
    name: 'registry',
    version: '0',
    sources: [createCommandSource({ id: 'commands', commands })],
    strategy: 'individual',
    middleware: middleware ?? defaultMiddleware(),
  })
  return { ...commands, ...createExecutor(() => crib) }
}
