// The public names, one by one. test/exports.test.ts pins this list.

export type {
  Caller,
  CommandContext,
  CommandInfo,
  ContextControl,
  ContextDefinition,
  Era,
  Introspection,
  LogLevel,
  Middleware,
  Next,
} from './core/call.ts'
export { type ErrorCode, ToolcribError } from './core/errors.ts'
export {
  type Alternative,
  type CommandError,
  type CommandResult,
  type FailureResult,
  failure,
  isFailure,
  isSuccess,
  type PlanStep,
  type ResultExtras,
  type ResultMetadata,
  type ResultSource,
  type ResultWarning,
  type SuccessResult,
  success,
} from './core/result.ts'
export { calculateSimilarity, findSimilarTools } from './core/similarity.ts'
export type { ExecutionTime, JsonSchema, ToolExample } from './core/tool.ts'
export { type Command, type CommandOptions, defineCommand, type ExposeOptions } from './sources/commands/define.ts'
