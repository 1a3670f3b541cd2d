// A command server without a transport: its crib, and the options that a front door needs to serve it.

import type { ContextDefinition } from '../core/call.ts'
import { aFunction, expecting } from '../core/check-fields.ts'
import { raise } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { attempt, createListeners } from '../core/listeners.ts'
import { messageOf, quoteList } from '../core/text.ts'
import { type Crib, createCrib } from '../crib/crib.ts'
import { usageRecorder } from '../crib/recorders.ts'
import { openUsage, whenOpened } from '../crib/usage.ts'
import { guardGroupBy } from '../disclosure/groups.ts'
import { splitPrefix } from '../disclosure/strategies/create-strategy.ts'
import { openTracer } from '../dispatch/call-tracer.ts'
import { defaultMiddleware } from '../dispatch/middleware/defaults.ts'
import { chooseRanker } from '../search/rankers/builtins.ts'
import { checkContexts, createContextCommands, withServerPrefix } from '../sources/commands/builtin-commands.ts'
import { checkAreCommands, createCommandSet, createCommandSource } from '../sources/commands/command-set.ts'
import { type Command, checkNotReserved } from '../sources/commands/define.ts'
import { openSources } from '../sources/source.ts'
import type { PathEnv } from '../storage/paths.ts'
import { createActivity } from './activity.ts'
import type { FrontOptions, ToolCallEvent } from './front-options.ts'
import { type CommandServerOptions, checkServerOptions } from './server-options.ts'
import { openServerStore, processEnvironment } from './server-store.ts'

export type { CommandServerOptions }

/** The commands of a running server, and an event for each call. */
export interface CommandControls {
  /** The commands of the author in the order of registration, without the server's own tools. */
  getCommands(): readonly Command[]
  /** Adds commands while the server runs. Clients get a list_changed notification if their list changes. */
  register(...commands: readonly Command[]): void
  /**
   * Calls the listener for every tool call of every client, including calls of the strategy's own tools. The returned
   * function removes the listener.
   */
  on(event: 'tool:call', listener: (event: ToolCallEvent) => void): () => void
}

export interface CommandServer extends CommandControls {
  readonly crib: Crib
  /** Rejects if the store of the server cannot work. */
  checkStore(): Promise<void>
  /** Writes the state that outlives the process. Closes the store if the server has opened it. */
  closeStore(): Promise<void>
  /** Creates the options for one door. Each door waits only for its own calls. */
  createFront(): FrontOptions
}

/** The name of the source with the commands. */
const OWN_SOURCE = 'commands'

/** The folder of the store depends on `environment`. */
export function createCommandServer(
  options: CommandServerOptions,
  environment: PathEnv = processEnvironment(),
): CommandServer {
  checkServerOptions(options)
  const { name, version, title, description, instructions, registry, groupByFn, devMode = false } = options
  const { toolStrategy: strategy = 'grouped' } = options
  const { prefix, rest } = splitPrefix(options.strategyOptions)
  const contexts = checkContexts(options.contexts ?? [])
  const commands = createCommandSet(takeCommands(options.commands, prefix, contexts))
  if (contexts.length > 0) commands.register(...createContextCommands(prefix))
  const listeners = createListeners<[event: ToolCallEvent]>()
  const report = (thrown: unknown, command: string, what: string) => {
    const error = thrown instanceof Error ? thrown : new Error(messageOf(thrown))
    if (options.onError !== undefined) attempt(() => options.onError?.(error, { command }))
    else process.stderr.write(`${what}: ${(devMode ? error.stack : undefined) ?? messageOf(error)}\n`)
  }
  const onGroupError = (thrown: unknown, command: string) =>
    report(thrown, command, `groupByFn failed for '${command}'`)
  const onProblem = ({ message }: { readonly message: string }) => {
    if (options.onError !== undefined) attempt(() => options.onError?.(new Error(message)))
    else process.stderr.write(`${name}: ${message}\n`)
  }
  const opened =
    options.store === undefined ? undefined : openServerStore(options.store, { server: name, environment, onProblem })
  const onUsageProblem = (error: unknown) => onProblem({ message: messageOf(error) })
  const usage =
    opened === undefined ? undefined : whenOpened(openUsage({ store: opened.store, onProblem: onUsageProblem }))
  const crib = createCrib({
    about: { name, version, title, description, instructions },
    sources: [
      createCommandSource({ id: OWN_SOURCE, commands, ...(registry === undefined ? {} : { unexposed: registry }) }),
      ...openSources(options.sources ?? [], [OWN_SOURCE]),
    ],
    strategy,
    strategyOptions: {
      ...(isRecord(rest) ? rest : {}),
      ...(strategy === 'grouped' && groupByFn !== undefined ? { groupBy: guardGroupBy(groupByFn, onGroupError) } : {}),
    },
    prefix,
    contexts,
    state: { store: opened?.store },
    search: { usage, ranker: chooseRanker(options.ranker) },
    calls: {
      middleware: options.middleware ?? defaultMiddleware(),
      recorder: usage && usageRecorder(usage),
      tracer: options.traces === true ? openTracer() : undefined,
      devMode,
      // Returns the result of the author's function, because the caller handles the rejection of an async one.
      onCommand: ({ command, input, result, context }) =>
        commands.get(command)?.builtin === true ? undefined : options.onCommand?.(command, input, result, context),
      onThrown: (thrown, command) => report(thrown, command, `'${command}' threw`),
    },
    onChoice: (line) => process.stderr.write(`${name}: ${line}\n`),
  })
  return {
    crib,
    checkStore: async () => opened?.check(),
    async closeStore() {
      await usage?.save()
      await opened?.close()
    },
    getCommands: () => commands.list().filter((command) => command.builtin !== true),
    register: (...added) => commands.register(...takeCommands(added, prefix, contexts)),
    on(event, listener) {
      checkListener(event, listener)
      return listeners.add(listener)
    },
    createFront: () => ({
      crib,
      activity: createActivity(),
      onToolCall: listeners.tell,
      onError: (error) => attempt(() => options.onError?.(error)),
    }),
  }
}

/** Checks for JavaScript callers what TypeScript checks at compile time. */
function checkListener(event: unknown, listener: unknown): void {
  const refuse = (what: string, reason: string, todo: string) => raise('INVALID_OPTIONS', { what, reason, todo })
  const reason = expecting("'tool:call'", (value) => value === 'tool:call')(event)
  if (reason !== undefined) refuse('event', reason, "'tool:call' is the only event.")
  const fault = aFunction(listener)
  if (fault !== undefined) refuse('listener', fault, "Call on('tool:call', (event) => { … }).")
}

function takeCommands(
  commands: readonly Command[],
  prefix: string,
  contexts: readonly ContextDefinition[],
): readonly Command[] {
  checkAreCommands(commands)
  const known = contexts.map((context) => context.name)
  for (const { name, builtin, contexts: named = [] } of commands) {
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
  return commands.map((command) => withServerPrefix(command, prefix))
}
