// createCommandRegistry: commands that can be registered, listed and run without a server.

import type { Middleware } from '../core/call.ts'
import { defaultMiddleware } from '../dispatch/middleware/defaults.ts'
import { type CommandSet, createCommandSet, createCommandSource } from '../sources/commands/command-set.ts'
import type { Command } from '../sources/commands/define.ts'
import { createCrib } from './crib.ts'
import { createExecutor, type Executor } from './direct-client.ts'

/** A registry of commands. It registers, lists and runs them. `C` is the type of the commands in its options. */
export interface CommandRegistry<C extends Command = Command> extends CommandSet, Executor<C> {}

/** The options of `createCommandRegistry`. */
export interface CommandRegistryOptions<C extends Command = Command> {
  /** The first commands. `register` adds others. */
  readonly commands?: readonly C[]
  /** Replaces the default middleware. */
  readonly middleware?: readonly Middleware[]
}

/**
 * Creates a registry of commands that can be registered, listed and run without a server.
 *
 * @example
 * ```ts
 * const registry = createCommandRegistry({ commands: [add] })
 * const result = await registry.execute('todo-add', { text: 'Buy milk' })
 * ```
 */
export function createCommandRegistry<C extends Command = Command>({
  commands: first = [],
  middleware,
}: CommandRegistryOptions<C> = {}): CommandRegistry<C> {
  const commands = createCommandSet(first)
  const crib = createCrib({
    about: { name: 'registry', version: '0' },
    sources: [createCommandSource({ id: 'commands', commands })],
    strategy: 'individual',
    calls: { middleware: middleware ?? defaultMiddleware() },
  })
  return { ...commands, ...createExecutor<C>(() => crib) }
}
