// The source interface: a source lists and calls tools. It never filters, ranks or renames them.

import type { Caller, CommandContext } from '../core/call.ts'
import { errorOf, ToolcribError } from '../core/errors.ts'
import { checkPlugin, isPlugin } from '../core/plugin.ts'
import type { FailureResult } from '../core/result.ts'
import type { StopSignal } from '../core/stop-signal.ts'
import { messageOf } from '../core/text.ts'
import type { ToolEntry, ToolResult } from '../core/tool.ts'

/** The description and state of a source. */
export interface SourceInfo {
  /** A name for people. */
  readonly title?: string
  /** The purpose of its tools. */
  readonly description?: string
  /** `known`: not running, and no failure is recorded. Its tools may still be unknown, see `isUnknown`. */
  readonly state: 'known' | 'starting' | 'connected' | 'failed'
  /** The reason of a failure, or how the server ended. */
  readonly reason?: string
  /** The action that the user must take, if a retry cannot succeed without it. */
  readonly remedy?: string
  /** The command with which the user logs in, if the source needs a login. */
  readonly loginCommand?: string
  /** True if its tools are unknown, because it was never asked or has not answered. */
  readonly isUnknown?: boolean
  /** The problems of its list, such as tools that are left out, each with the reason. */
  readonly problems?: readonly string[]
  /** When its tools were last listed, in milliseconds since 1970. Absent if they never were. */
  readonly listedAt?: number
  /** When it connected, in milliseconds since 1970. Absent while it is not connected. */
  readonly connectedAt?: number
  /** How long its start took. Absent while it is not connected. */
  readonly startMs?: number
}

/** An origin of tools: it lists them and calls them. */
export interface ToolSource {
  /** Unique in a catalog. It is the first part of the id of each tool. */
  readonly id: string
  /** The state of the source for this caller. Absent for a source that is always available. */
  info?(caller?: Caller): SourceInfo
  /**
   * Resolves when the list is known or could not be fetched. Undefined if there is nothing to wait for. `withSchemas`:
   * also waits for tools that are known by name but without a schema. `caller`: the client that makes the request, if
   * any.
   */
  settle?(withSchemas?: boolean, caller?: Caller): Promise<void> | undefined
  /** Returns how much of `waitMs` is left, counted from the source's first start. If absent, callers wait `waitMs`. */
  waitLeft?(waitMs: number, caller?: Caller): number
  /** Refreshes the list in the background if it is missing or too old. */
  revalidate?(caller?: Caller): void
  /** Lists all tools, in an order that does not change. Rejects if the source cannot be reached. */
  list(signal: AbortSignal): Promise<readonly ToolEntry[]>
  /** Returns the entry of a tool with an unknown schema, as the server describes it, or the failure. */
  describe?(name: string, context: CommandContext): Promise<ToolEntry | FailureResult>
  /**
   * `input` has passed the `validate` function of the entry. `signal` aborts when `context.signal` does. It is cheaper,
   * because reading `context.signal` creates an AbortSignal.
   */
  call(name: string, input: unknown, context: CommandContext, signal?: StopSignal): Promise<ToolResult>
  /** Offers the login to the client of this request. Resolves with true when the user has logged in. */
  logIn?(context: Pick<CommandContext, 'caller' | 'onServerRequest'>, signal: StopSignal): Promise<boolean>
  /** True if the answers of its tools were parsed from JSON, so that they can be written as JSON again. */
  readonly givesJson?: boolean
  /** True if its tools can answer with `inputRequired` and accept `inputResponses` of the client. */
  readonly relaysInput?: boolean
  /** Calls the listener after the list has changed. The returned function removes the listener. */
  onChange?(listener: () => void): () => void
  [Symbol.asyncDispose](): Promise<void>
}

/** A source of the user: its tools are served next to those of configured servers, or next to commands. */
export interface SourcePlugin {
  /** The name of the source. Rules and clients use it like the name of a server. */
  readonly name: string
  /** Returns a source with this `id`, the name of the plugin. The source connects at its first use, not here. */
  open(given: { readonly id: string }): ToolSource
}

/**
 * Checks a source and returns it.
 *
 * @example
 * ```ts
 * const clock = defineSource({
 *   name: 'clock',
 *   open: ({ id }) => ({
 *     id,
 *     list: async () => [],
 *     call: async (name) => failure({ code: 'NOT_FOUND', message: `There is no tool '${name}'.` }),
 *     async [Symbol.asyncDispose]() {},
 *   }),
 * })
 * ```
 */
export function defineSource(plugin: SourcePlugin): SourcePlugin {
  return checkPlugin(plugin, {
    what: 'source',
    method: 'open',
    todo: "Give { name: 'my-source', open: ({ id }) => ({ id, list, call, [Symbol.asyncDispose] }) }.",
  })
}

export function isSourcePlugin(value: unknown): value is SourcePlugin {
  return isPlugin(value, 'open')
}

/** Opens each source once. Throws if a name occurs twice or is in `taken`, or if the id of a source is not its name. */
export function openSources(plugins: readonly SourcePlugin[], taken: readonly string[] = []): readonly ToolSource[] {
  const names = new Set(taken)
  for (const { name } of plugins) {
    if (names.has(name)) {
      throw invalid(name, 'another source or server has the same name', 'Give each source its own name.')
    }
    names.add(name)
  }
  return plugins.map((plugin) => {
    const { name } = plugin
    const source = openPlugin(plugin)
    if (source?.id === name) return source
    const found = typeof source?.id === 'string' ? `a source with the id '${source.id}'` : 'no source with an id'
    throw invalid(name, `its \`open\` returned ${found}`, 'Return a source with the `id` that `open` gets.')
  })
}

/** Code in plain JavaScript may return nothing. */
function openPlugin(plugin: SourcePlugin): ToolSource | undefined {
  try {
    return plugin.open({ id: plugin.name })
  } catch (cause) {
    // An error of this package has its own code and advice.
    if (cause instanceof ToolcribError) throw cause
    const error = invalid(plugin.name, `its \`open\` threw: ${messageOf(cause)}`, 'Correct the code of the source.')
    throw Object.assign(error, { cause })
  }
}

function invalid(name: string, reason: string, todo: string): ToolcribError {
  return new ToolcribError('INVALID_OPTIONS', errorOf('INVALID_OPTIONS', { what: `source '${name}'`, reason, todo }))
}
