// The one dispatcher: validate, then the middleware, then the source. Nothing else calls a source.

import { randomUUID } from 'node:crypto'
import type { Caller, CommandContext, CommandInfo, ContextControl, Middleware, Next } from '../core/call.ts'
import { decodeStringified } from '../core/decode.ts'
import { soundResult } from '../core/encode-result.ts'
import { fail } from '../core/errors.ts'
import { attempt } from '../core/listeners.ts'
import { type CommandResult, type FailureResult, isCommandResult, toCommandError } from '../core/result.ts'
import { isRecord } from '../core/schema.ts'
import { messageOf } from '../core/text.ts'
import type { Tool, ValidationIssue } from '../core/tool.ts'
import type { InvalidHint } from '../disclosure/strategy.ts'
import type { ToolSource } from '../sources/source.ts'

export interface DispatcherOptions {
  source(id: string): ToolSource | undefined
  readonly middleware: readonly Middleware[]
  /** What to do about arguments that do not fit, what to show of those that would, and what the tool is called. */
  invalid(tool: Tool): InvalidHint & { readonly name: string }
  /** Stack traces leave the process only here. */
  readonly devMode: boolean
  /** Told of what a handler, a middleware or a schema threw: the caller learns only its message. */
  onThrown?(thrown: unknown, command: string): void
  /** Told of every call that ran, after it ended. */
  onCommand?(event: CommandEvent): void
}

export interface CommandEvent {
  readonly command: string
  readonly input: unknown
  readonly result: CommandResult
  readonly context: CommandContext
  readonly durationMs: number
}

/** What the dispatcher adds to a call by itself may be left out. */
export interface CallFrame
  extends Partial<
    Pick<
      CommandContext,
      'traceId' | 'progress' | 'log' | 'logLevel' | 'releaseConnection' | 'onServerRequest' | 'relay'
    >
  > {
  readonly caller: Caller
  readonly signal: AbortSignal
  readonly context?: string
  readonly contexts?: ContextControl
  readonly introspect: CommandContext['introspect']
  /** Further fields for the handler's context, from whoever called `execute`. */
  readonly extra?: Readonly<Record<string, unknown>>
}

export interface Dispatcher {
  /** Never rejects: whatever goes wrong with a call is a failure that says so. */
  run(tool: Tool, input: unknown, frame: CallFrame): Promise<CommandResult>
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { source, middleware, invalid, onCommand } = options

  const call = async (tool: Tool, input: unknown, context: CommandContext): Promise<CommandResult> => {
    const owner = source(tool.sourceId)
    // Whatever came before this may have waited while the caller went away.
    if (context.signal.aborted) return fail('CANCELLED', { name: tool.name })
    if (owner === undefined) throw new Error(`The source '${tool.sourceId}' is gone.`)
    if (context.relay?.state !== undefined && owner.relaysInput !== true) {
      return refuse([{ path: 'requestState', message: 'requestState: this tool gave none' }], invalid(tool))
    }
    const result = await untilAborted(owner.call(tool.name, input, context), context.signal)
    if (result === ABORTED) return fail('CANCELLED', { name: tool.name })
    return checked(tool, result)
  }

  /** Arguments are never checked against a stand-in: the source is asked for the real schema first. */
  const described = async (tool: Tool, frame: CallFrame): Promise<Tool | FailureResult> => {
    if (tool.isSchemaUnknown !== true) return tool
    const entry = await source(tool.sourceId)?.describe?.(tool.name, contextFor(tool, frame))
    return entry === undefined || 'success' in entry ? (entry ?? tool) : { ...tool, ...entry, isSchemaUnknown: false }
  }

  const runOne = async (listed: Tool, input: unknown, frame: CallFrame): Promise<CommandResult> => {
    const tool = await described(listed, frame)
    if ('success' in tool) return tool
    const validated = await tool.validate(decodeStringified(input === undefined ? {} : input, tool.inputSchema))
    if (!validated.ok) return refuse(validated.issues, invalid(tool))
    if (frame.signal.aborted) return fail('CANCELLED', { name: tool.name })
    const { value } = validated
    const context = contextFor(tool, frame)
    const startedAt = performance.now()
    const innermost = (current: CommandContext) => guard(tool, () => call(tool, value, current), options)
    const layers = tool.builtin === true ? [] : middleware
    const given = await guard(tool, () => runChain(layers, tool.name, value, context, innermost), options)
    const result = soundResult(tool.name, given)
    const durationMs = performance.now() - startedAt
    attempt(() => onCommand?.({ command: tool.name, input: value, result, context, durationMs }))
    return result
  }

  // Guarded as a whole too: a schema with code of its own in it (a refinement, a transform) may throw.
  return { run: (tool, input, frame) => guard(tool, () => runOne(tool, input, frame), options) }
}

async function runChain(
  middleware: readonly Middleware[],
  name: string,
  input: unknown,
  context: CommandContext,
  innermost: (context: CommandContext) => Promise<CommandResult>,
): Promise<CommandResult> {
  const step = (index: number, current: CommandContext): Promise<CommandResult> => {
    const layer = middleware[index]
    if (layer === undefined) return innermost(current)
    const next: Next = (replaced) => step(index + 1, replaced ?? current)
    return layer(name, input, current, next)
  }
  return step(0, context)
}

/** A throw or a value that is no CommandResult, from a handler or a middleware, becomes a failure. */
async function guard(
  tool: Tool,
  step: () => Promise<CommandResult>,
  { devMode, onThrown }: Pick<DispatcherOptions, 'devMode' | 'onThrown'>,
): Promise<CommandResult> {
  try {
    const result = withPlainError(await step())
    if (isCommandResult(result)) return result
    return fail('INVALID_RESULT', { name: tool.name, reason: `it returned ${kindOf(result)}, not a CommandResult` })
  } catch (error) {
    attempt(() => onThrown?.(error, tool.name))
    const reason = messageOf(error)
    const stack = devMode && error instanceof Error ? error.stack : undefined
    return fail(
      'COMMAND_EXECUTION_ERROR',
      { name: tool.name, reason },
      stack === undefined ? {} : { details: { stack } },
    )
  }
}

/** A handler in plain JavaScript may return an Error as its `error`. */
function withPlainError(result: unknown): unknown {
  if (!isRecord(result) || !(result.error instanceof Error)) return result
  return { ...result, error: toCommandError(result.error) }
}

async function checked(tool: Tool, result: CommandResult): Promise<CommandResult> {
  if (tool.validateOutput === undefined || !isCommandResult(result) || !result.success) return result
  // The command has done its work: the caller keeps what it gave, and learns that it is not what was promised.
  const message = await mismatch(tool.validateOutput, result.data)
  if (message === undefined) return result
  const warning = { code: 'OUTPUT_MISMATCH', message: `The data is not what '${tool.name}' promises: ${message}` }
  return { ...result, warnings: [...(result.warnings ?? []), warning] }
}

async function mismatch(validate: NonNullable<Tool['validateOutput']>, data: unknown): Promise<string | undefined> {
  try {
    const output = await validate(data)
    return output.ok ? undefined : output.issues.map((issue) => issue.message).join('; ')
  } catch (error) {
    return messageOf(error)
  }
}

function refuse(
  issues: readonly ValidationIssue[],
  { hint, details, name }: ReturnType<DispatcherOptions['invalid']>,
): CommandResult {
  const shown = issues.slice(0, MAX_ISSUES_SHOWN)
  return fail('VALIDATION_ERROR', { name, issues, hint }, { details: { issues: shown, ...details } })
}

function contextFor(tool: Tool, frame: CallFrame): CommandContext {
  const { extra, traceId, progress, log, ...rest } = frame
  const { version, mutation, destructive, executionTime } = tool.traits
  const command: CommandInfo = {
    name: tool.name,
    category: tool.category,
    ...(version === undefined ? {} : { version }),
    ...(mutation === undefined ? {} : { mutation }),
    ...(destructive === undefined ? {} : { destructive }),
    ...(executionTime === undefined ? {} : { executionTime }),
  }
  return {
    ...extra,
    ...rest,
    command,
    traceId: traceId ?? randomUUID(),
    progress: progress ?? ignore,
    log: log ?? ignore,
  }
}

const MAX_ISSUES_SHOWN = 20
const ABORTED = Symbol('aborted')

/** A handler that ignores its signal is left behind; its late result or error goes nowhere. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | typeof ABORTED> {
  if (signal.aborted) {
    work.catch(ignore)
    return Promise.resolve(ABORTED)
  }
  return new Promise((resolve, reject) => {
    const stop = () => resolve(ABORTED)
    signal.addEventListener('abort', stop, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

function ignore(): void {}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : value === undefined ? 'nothing' : `a value of type ${typeof value}`
}
