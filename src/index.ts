// Lists the public names of the package. test/exports.test.ts pins this list.

export type { RuleInput, ServerInput, SourceInput } from './config/config.ts'
export type { AddressOptions } from './config/http-settings.ts'
export type { ImporterName } from './config/imports/builtins.ts'
export {
  type ClientFile,
  defineImporter,
  type Importer,
  type ImporterDefinition,
} from './config/imports/importer.ts'
export type { ImportResult } from './config/server-entry.ts'
export type {
  Caller,
  CommandContext,
  CommandDescription,
  CommandInfo,
  ContextControl,
  ContextDefinition,
  Era,
  InputRelay,
  Introspection,
  LogLevel,
  Middleware,
  Next,
  TraceContext,
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
export type { Rights } from './core/rights.ts'
export { calculateSimilarity, findSimilarTools } from './core/similarity.ts'
export type {
  ExecutionTime,
  JsonSchema,
  ListedTool,
  Tool,
  ToolEntry,
  ToolExample,
  ToolResult,
  ToolTraits,
} from './core/tool.ts'
export type { InputSchema, StandardSchema } from './core/validate.ts'
export { type CommandRegistry, type CommandRegistryOptions, createCommandRegistry } from './crib/command-registry.ts'
export { type ConfigInput, defineConfig } from './crib/define-config.ts'
export type { BatchOutcome, ExecuteOptions, Executor, PipeOutcome } from './crib/direct-client.ts'
export { createDirectClient, type DirectClient } from './crib/direct-client.ts'
export {
  createToolRegistry,
  type ToolDefinition,
  type ToolRegistry,
  type ToolRegistryOptions,
} from './crib/tool-registry.ts'
export type { GroupBy } from './disclosure/groups.ts'
export { defineMetaTool, type MetaToolOptions } from './disclosure/meta-tool.ts'
export type { DetailEntry, DetailError, DetailResult } from './disclosure/strategies/afd/detail.ts'
export type { CommandSummary, DiscoverResult } from './disclosure/strategies/afd/discover.ts'
export type { StrategyName, StrategyOptions } from './disclosure/strategies/builtins.ts'
export type { CapabilitiesResponse, ToolCategory, ToolSummary } from './disclosure/strategies/capabilities/inventory.ts'
export type { SchemaCacheStats } from './disclosure/strategies/capabilities/schema-tool.ts'
export {
  defineStrategy,
  type MetaTool,
  type Strategy,
  type StrategyDefinition,
  type StrategyEnvironment,
  type StrategyPlugin,
} from './disclosure/strategy.ts'
export type { StrategyTask, TaskClient, TaskTool } from './disclosure/strategy-task.ts'
export type { View } from './disclosure/view.ts'
export type { BatchEntryResult, BatchRequest, BatchResult } from './dispatch/batch.ts'
export { type DefaultMiddlewareOptions, defaultMiddleware } from './dispatch/middleware/defaults.ts'
export { type CallLogRecord, type CallLogSink, type LoggingOptions, logging } from './dispatch/middleware/logging.ts'
export { type RateLimitOptions, rateLimit } from './dispatch/middleware/rate-limit.ts'
export { type RetryOptions, retry } from './dispatch/middleware/retry.ts'
export { type TelemetryEvent, type TelemetrySink, telemetry } from './dispatch/middleware/telemetry.ts'
export { type TimeoutOptions, timeout } from './dispatch/middleware/timeout.ts'
export { type TimingOptions, timing } from './dispatch/middleware/timing.ts'
export { type TracingOptions, tracing } from './dispatch/middleware/tracing.ts'
export type { PipeRequest, PipeResult } from './dispatch/pipe/pipe.ts'
export type { AuthOptions, Identity, LoginRefusal, Verified } from './front/auth.ts'
export type { CorsOptions } from './front/cors.ts'
export { createMcpServer, type McpServer, type McpServerOptions, type StopOptions } from './front/create-mcp-server.ts'
export type { ToolCallEvent } from './front/front-options.ts'
export { type LazyToolsOptions, lazyTools } from './front/lazy-tools.ts'
export type { ServerLimits } from './front/server-options.ts'
export type { HttpServer, StdioServer, WrapConnection, WrapServerOptions } from './front/wrap-options.ts'
export { type WrappedServer, wrapServer } from './front/wrap-server.ts'
export {
  defineRanker,
  type Hit,
  type Index,
  type Ranker,
  type RankerPlugin,
  type SearchOptions,
} from './search/ranker.ts'
export type { RankerName } from './search/rankers/builtins.ts'
export { type BootstrapOptions, createBootstrapCommands } from './sources/commands/builtin-commands.ts'
export type { CommandSet, Exposure } from './sources/commands/command-set.ts'
export { type Command, type CommandOptions, defineCommand, type ExposeOptions } from './sources/commands/define.ts'
export { defineSource, type SourcePlugin, type ToolSource } from './sources/source.ts'
export { createFileStore, type FileStoreOptions } from './storage/file.ts'
export { createMemoryStore } from './storage/memory.ts'
export { defineStore, type Store, type StoreOpenOptions, type StorePart, type StorePlugin } from './storage/store.ts'
