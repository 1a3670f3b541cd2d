// The one dispatcher: it validates, runs the middleware, then calls the source. No other code calls a source's tools.

import type {
  Caller,
  CallFields,
  CommandContext,
  CommandInfo,
  InvalidHint,
  Middleware,
  Mutable,
  Next,
} from '../core/call.ts'
import { decodeStringified } from '../core/decode.ts'
import { soundResult } from '../core/encode-result.ts'
import { fail } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { attempt } from '../core/listeners.ts'
import { type CommandResult, type FailureResult, isCommandResult, toCommandError } from '../core/result.ts'
import { type StopSignal, stopSignalOf } from '../core/stop-signal.ts'
import { messageOf } from '../core/text.ts'
import type { Tool, ValidationIssue } from '../core/tool.ts'
import { issueDetails } from '../core/validation-issue.ts'
import type { ToolSource } from '../sources/source.ts'
import type { CallTracer } from './call-tracer.ts'
import type { CallGate } from './limits/call-limits.ts'

export interface DispatcherOptions {
  source(id: string): ToolSource | undefined
  readonly middleware: readonly Middleware[]
  /** The hint and the details of a VALIDATION_ERROR for this caller, and the name under which it knows the tool. */
  invalid(tool: Tool, caller: Caller): InvalidHint & { readonly name: string }
  /** Returns the limits for calls, if there are any. Called for each call, because the config can change. */
  gate?(): CallGate | undefined
  /** Makes a span for each call. */
  readonly tracer?: CallTracer | undefined
  /** Adds stack traces to failures. */
  readonly devMode: boolean
  /** Called with the value that a handler, a middleware or a schema threw. The caller gets its message. */
  onThrown?(thrown: unknown, command: string): void
  /** Called after every call that ran. */
  onCommand?(event: CommandEvent): void
}

export interface CommandEvent {
  readonly command: string
  readonly input: unknown
  readonly result: CommandResult
  readonly context: CommandContext
  readonly durationMs: number
}

export interface Dispatcher {
  /** Never rejects: every error becomes a failure. */
  run(tool: Tool, input: unknown, call: CallFields): Promise<CommandResult>
}

const MAX_ISSUES_SHOWN = 20

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { source, middleware, invalid, onCommand } = options

  const send = (
    tool: Tool,
    input: unknown,
    context: CommandContext,
    signal: StopSignal,
  ): CommandResult | Promise<CommandResult> => {
    const owner = source(tool.sourceId)
    // The caller may have cancelled while a middleware waited.
    if (signal.aborted) return fail('CANCELLED', { name: tool.name })
    if (owner === undefined) return unavailable(tool)
    if (context.relay?.state !== undefined && owner.relaysInput !== true) {
      const issue = { path: 'requestState', message: 'requestState: this tool did not send one' }
      return refuse([issue], invalid(tool, context.caller))
    }
    const cancelled = () => fail('CANCELLED', { name: tool.name })
    const running = untilAborted(owner.call(tool.name, input, context, signal), signal, cancelled)
    return tool.validateOutput === undefined ? running : running.then((result) => checkOutput(tool, result))
  }

  /** Asks the source for the real schema, because arguments must not be checked against a placeholder schema. */
  const fetchSchema = async (tool: Tool, call: CallFields): Promise<Tool | FailureResult> => {
    const entry = await source(tool.sourceId)?.describe?.(tool.name, withCommand(call, tool))
    return entry === undefined || 'success' in entry ? (entry ?? tool) : { ...tool, ...entry, isSchemaUnknown: false }
  }

  // Everything before the call is in one function, because each further async function adds time to every call.
  const run: Dispatcher['run'] = async (listed, input, call) => {
    try {
      const tool = listed.isSchemaUnknown === true ? await fetchSchema(listed, call) : listed
      if ('success' in tool) return tool
      const validating = tool.validate(decodeStringified(input === undefined ? {} : input, tool.inputSchema))
      const validated = 'then' in validating ? await validating : validating
      if (!validated.ok) return refuse(validated.issues, invalid(tool, call.caller))
      const signal = stopSignalOf(call)
      if (signal.aborted) return fail('CANCELLED', { name: tool.name })
      const gate = tool.builtin === true ? undefined : options.gate?.()
      const { value } = validated
      if (gate === undefined) return await runAdmitted(tool, value, call)
      const entering = gate({ name: tool.name, server: tool.sourceId, caller: call.caller, signal })
      const entered = 'then' in entering ? await entering : entering
      if (!('leave' in entered)) return entered
      try {
        return await runAdmitted(tool, value, call)
      } finally {
        entered.leave()
      }
    } catch (error) {
      // A refinement or a transform of a schema can throw.
      return failWith(listed, error, options)
    }
  }

  const runAdmitted = async (tool: Tool, value: unknown, call: CallFields): Promise<CommandResult> => {
    const context = withCommand(call, tool)
    const startedAt = performance.now()
    // A middleware may replace the context, and with it the signal.
    const innermost = (current: CommandContext) =>
      guard(tool, HANDLER, () => send(tool, value, current, stopSignalOf(current)), options)
    const layers = tool.builtin === true ? [] : middleware
    const given =
      layers.length === 0
        ? await innermost(context)
        : await guard(tool, MIDDLEWARE, () => runChain(layers, tool.name, value, context, innermost), options)
    const isJson = layers.length === 0 && source(tool.sourceId)?.givesJson === true
    const result = soundResult(tool.name, given, isJson)
    const durationMs = performance.now() - startedAt
    attempt(() => onCommand?.({ command: tool.name, input: value, result, context, durationMs }))
    return result
  }

  const { tracer } = options
  if (tracer === undefined) return { run }
  return {
    run: (tool, input, call: Mutable<CallFields>) =>
      tracer({ server: tool.sourceId, tool: tool.name, caller: call.caller, trace: call.trace }, (trace) => {
        if (trace !== undefined) call.trace = trace
        return run(tool, input, call)
      }),
  }
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

/** The code that returned a value, and the advice if the value is not a CommandResult. */
interface Returner {
  readonly name: string
  readonly advice: { readonly todo?: string }
}

const HANDLER: Returner = { name: 'it', advice: {} }
/** The chain gets only results of the handler that were checked before, so a wrong value is from a middleware. */
const MIDDLEWARE: Returner = {
  name: 'a middleware',
  advice: { todo: 'A middleware must return a CommandResult, such as that of next()' },
}

/** Turns a thrown error, or a value that is not a CommandResult, into a failure. */
async function guard(
  tool: Tool,
  returner: Returner,
  step: () => CommandResult | Promise<CommandResult>,
  options: Pick<DispatcherOptions, 'devMode' | 'onThrown'>,
): Promise<CommandResult> {
  try {
    const result = withPlainError(await step())
    if (isCommandResult(result)) return result
    const reason = `${returner.name} returned ${kindOf(result)}, not a CommandResult`
    return fail('INVALID_RESULT', { name: tool.name, reason, ...returner.advice })
  } catch (error) {
    return failWith(tool, error, options)
  }
}

function failWith(
  tool: Tool,
  error: unknown,
  { devMode, onThrown }: Pick<DispatcherOptions, 'devMode' | 'onThrown'>,
): FailureResult {
  attempt(() => onThrown?.(error, tool.name))
  const reason = messageOf(error)
  const stack = devMode && error instanceof Error ? error.stack : undefined
  return fail('COMMAND_EXECUTION_ERROR', { name: tool.name, reason }, stack === undefined ? {} : { details: { stack } })
}

/** A handler in plain JavaScript can return an Error as its `error`. */
function withPlainError(result: unknown): unknown {
  if (!isRecord(result) || !(result.error instanceof Error)) return result
  return { ...result, error: toCommandError(result.error) }
}

async function checkOutput(tool: Tool, result: CommandResult): Promise<CommandResult> {
  if (tool.validateOutput === undefined || !isCommandResult(result) || !result.success) return result
  // The command has run, so its data is returned; a warning reports that it does not match the schema.
  const message = await findMismatch(tool.validateOutput, result.data)
  if (message === undefined) return result
  const warning = {
    code: 'OUTPUT_MISMATCH',
    message: `The data does not match the output schema of '${tool.name}': ${message}`,
  }
  return { ...result, warnings: [...(result.warnings ?? []), warning] }
}

async function findMismatch(validate: NonNullable<Tool['validateOutput']>, data: unknown): Promise<string | undefined> {
  try {
    const output = await validate(data)
    return output.ok ? undefined : output.issues.map((issue) => issue.message).join('; ')
  } catch (error) {
    return messageOf(error)
  }
}

/** The failure for a tool of a source that was removed after the view of the caller was made. */
function unavailable({ sourceId: server, name }: Tool): FailureResult {
  const data = { server, reason: 'it was removed', remedy: 'use another tool' }
  return fail('SERVER_UNAVAILABLE', data, { details: { server, tool: name } })
}

function refuse(
  issues: readonly ValidationIssue[],
  { hint, details, name }: ReturnType<DispatcherOptions['invalid']>,
): CommandResult {
  const shown = issues.slice(0, MAX_ISSUES_SHOWN)
  return fail('VALIDATION_ERROR', { name, issues, hint }, { details: { issues: issueDetails(shown), ...details } })
}

/** Adds the facts about the tool to the call object, and returns the same object. */
function withCommand(call: CallFields, tool: Tool): CommandContext {
  return Object.assign(call, { command: infoOf(tool) })
}

function infoOf({ name, category, traits }: Tool): CommandInfo {
  const { version, mutation, destructive, executionTime } = traits
  const info: Mutable<CommandInfo> = { name, category }
  if (version !== undefined) info.version = version
  if (mutation !== undefined) info.mutation = mutation
  if (destructive !== undefined) info.destructive = destructive
  if (executionTime !== undefined) info.executionTime = executionTime
  return info
}

/** Stops waiting for a handler that ignores its signal. Its late result or error is dropped. */
function untilAborted<T>(work: Promise<T>, signal: StopSignal, aborted: () => T): Promise<T> {
  if (signal.aborted) {
    work.catch(ignore)
    return Promise.resolve(aborted())
  }
  return new Promise((resolve, reject) => {
    const stop = () => resolve(aborted())
    signal.addEventListener('abort', stop, { once: true })
    work.then(
      (value) => {
        signal.removeEventListener('abort', stop)
        resolve(value)
      },
      (error: unknown) => {
        signal.removeEventListener('abort', stop)
        reject(error)
      },
    )
  })
}

function ignore(): void {}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : value === undefined ? 'nothing' : `a value of type ${typeof value}`
}
