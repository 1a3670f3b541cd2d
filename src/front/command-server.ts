// A command server without its doors: the commands on the line, and what a door needs to serve them.

import type { CommandContext, ContextDefinition, Middleware } from '../core/call.ts'
import { raise } from '../core/errors.ts'
import { attempt } from '../core/listeners.ts'
import type { CommandResult } from '../core/result.ts'
import { messageOf, quoteList } from '../core/text.ts'
import { type Crib, createCrib } from '../crib/crib.ts'
import type { GroupBy } from '../disclosure/groups.ts'
import { defaultMiddleware } from '../dispatch/middleware/defaults.ts'
import { type CommandSet, createCommandSet } from '../sources/commands/command-set.ts'
import { createCommandSource } from '../sources/commands/command-source.ts'
import { checkContexts, createContextCommands } from '../sources/commands/contexts.ts'
import { type Command, checkNotReserved, DEFAULT_PREFIX } from '../sources/commands/define.ts'
import { createActivity } from './activity.ts'
import type { FrontOptions, ToolCallEvent } from './protocol-server.ts'

/** What a command server is, whichever way its clients come in. */
export interface CommandServerOptions {
  readonly name: string
  readonly version: string
  /** What the server exposes. */
  readonly commands: readonly Command[]
  /** Commands that exist besides: described on request, never callable. */
  readonly registry?: CommandSet
  /** A strategy's name: individual, grouped (the default) or lazy. */
  readonly toolStrategy?: string
  /** `prefix` renames the server's own tools (`afd-call` …); the rest is the strategy's. */
  readonly strategyOptions?: Readonly<Record<string, unknown>>
  /** The group of a command under `grouped`, in place of its category. */
  readonly groupByFn?: GroupBy
  readonly contexts?: readonly ContextDefinition[]
  /** In place of the default stack; spread `defaultMiddleware()` to keep it. */
  readonly middleware?: readonly Middleware[]
  /** Stack traces in error details. */
  readonly devMode?: boolean
  onCommand?(command: string, input: unknown, result: CommandResult, context: CommandContext): void
  /**
   * What a handler threw (with its command), and what went wrong with a connection. Without it, what handlers throw
   * goes to stderr: the caller is told only the message.
   */
  onError?(error: Error, about?: { readonly command: string }): void
}

export interface CommandServer {
  readonly crib: Crib
  getCommands(): readonly Command[]
  /** Exposes more commands while it runs; clients whose list changes are told. */
  register(...commands: readonly Command[]): void
  /** Every tool call of every client, also those that only introspect. */
  on(event: 'tool:call', listener: (event: ToolCallEvent) => void): () => void
  /** For one door, which waits for its own calls only. */
  createFront(): FrontOptions
}

export function createCommandServer(options: CommandServerOptions): CommandServer {
  checkOptions(options)
  const { name, version, registry, toolStrategy: strategy = 'grouped', groupByFn, devMode = false } = options
  const { prefix, ...strategyOptions } = splitPrefix(options.strategyOptions)
  const contexts = checkContexts(options.contexts ?? [])
  const commands = createCommandSet(checkCommands(options.commands, prefix, contexts))
  if (contexts.length > 0) commands.register(...createContextCommands(prefix))
  const listeners = new Set<(event: ToolCallEvent) => void>()
  const crib = createCrib({
    name,
    version,
    sources: [
      createCommandSource({ id: 'commands', commands, ...(registry === undefined ? {} : { unexposed: registry }) }),
    ],
    strategy,
    strategyOptions: {
      ...strategyOptions,
      ...(strategy === 'grouped' && groupByFn !== undefined ? { groupBy: groupByFn } : {}),
    },
    prefix,
    contexts,
    middleware: options.middleware ?? defaultMiddleware(),
    devMode,
    onCommand: ({ command, input, result, context }) => options.onCommand?.(command, input, result, context),
    onThrown(thrown, command) {
      const error = thrown instanceof Error ? thrown : new Error(messageOf(thrown))
      if (options.onError !== undefined) options.onError(error, { command })
      else process.stderr.write(`'${command}' threw: ${error.stack ?? error.message}\n`)
    },
  })
  return {
    crib,
    getCommands: () => commands.list(),
    register: (...added) => commands.register(...checkCommands(added, prefix, contexts)),
    on(_event, listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    createFront: () => ({
      crib,
      activity: createActivity(),
      onToolCall: (event) => {
        for (const listener of listeners) attempt(() => listener(event))
      },
      onError: (error) => attempt(() => options.onError?.(error)),
    }),
  }
}

function splitPrefix({ prefix = DEFAULT_PREFIX, ...rest }: Readonly<Record<string, unknown>> = {}) {
  if (typeof prefix === 'string' && /^[a-z][a-z0-9]*$/.test(prefix)) return { prefix, ...rest }
  return raise('INVALID_OPTIONS', {
    what: 'strategyOptions.prefix',
    reason: 'it is not one lower-case word',
    todo: `Leave it out for '${DEFAULT_PREFIX}', or give a word like 'acme'.`,
  })
}

/** What TypeScript would have caught, for those who write JavaScript. */
function checkOptions({ name, version, commands, middleware, registry }: CommandServerOptions): void {
  const wrong = (what: string, reason: string, todo: string) => raise('INVALID_OPTIONS', { what, reason, todo })
  if (typeof name !== 'string' || name === '') wrong('name', 'it is not a text', "Give name: 'my-server'.")
  if (typeof version !== 'string' || version === '') wrong('version', 'it is not a text', "Give version: '1.0.0'.")
  if (!Array.isArray(commands)) wrong('commands', 'it is not an array', 'Give commands: [ … ].')
  if (
    middleware !== undefined &&
    !(Array.isArray(middleware) && middleware.every((one) => typeof one === 'function'))
  ) {
    wrong('middleware', 'it is not an array of functions', 'Give middleware: [timeout(5_000), …], each of them called.')
  }
  if (registry !== undefined && typeof registry.list !== 'function') {
    wrong('registry', 'it is not a registry', 'Give what createCommandRegistry() returned.')
  }
}

function checkCommands(
  commands: readonly Command[],
  prefix: string,
  contexts: readonly ContextDefinition[],
): readonly Command[] {
  const known = contexts.map((context) => context.name)
  for (const command of commands) {
    const { name, builtin, contexts: named = [] } = command
    if (typeof name !== 'string' || typeof command.handler !== 'function' || command.inputSchema === undefined) {
      raise('INVALID_COMMAND', {
        name: String(name),
        reason: 'it was not made by defineCommand',
        todo: 'Pass each command by itself, as defineCommand returned it.',
      })
    }
    if (builtin !== true) checkNotReserved(name, prefix)
    const unknown = known.length === 0 ? undefined : named.find((context) => !known.includes(context))
    if (unknown !== undefined) {
      raise('INVALID_COMMAND', {
        name,
        reason: `it belongs to context '${unknown}', which this server does not have`,
        todo: `Use one of ${quoteList(known)}, or add it to \`contexts\`.`,
      })
    }
  }
  return commands
}
