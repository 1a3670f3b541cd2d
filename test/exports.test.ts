// The public names of the package: `toolcrib` and `toolcrib/testing` export exactly these.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as api from '../src/index.ts'
import * as testing from '../src/testing.ts'

// Removing or renaming one of these names breaks programs that use the package, so it needs a major version.
const PUBLIC_NAMES = [
  'ToolcribError',
  'calculateSimilarity',
  'createBootstrapCommands',
  'createCommandRegistry',
  'createDirectClient',
  'createFileStore',
  'createMcpServer',
  'createMemoryStore',
  'createToolRegistry',
  'defaultMiddleware',
  'defineCommand',
  'defineConfig',
  'defineImporter',
  'defineMetaTool',
  'defineRanker',
  'defineSource',
  'defineStore',
  'defineStrategy',
  'failure',
  'findSimilarTools',
  'isFailure',
  'isSuccess',
  'lazyTools',
  'logging',
  'rateLimit',
  'retry',
  'success',
  'telemetry',
  'timeout',
  'timing',
  'tracing',
  'type AddressOptions',
  'type Alternative',
  'type AuthOptions',
  'type BatchEntryResult',
  'type BatchOutcome',
  'type BatchRequest',
  'type BatchResult',
  'type BootstrapOptions',
  'type CallLogRecord',
  'type CallLogSink',
  'type Caller',
  'type CapabilitiesResponse',
  'type ClientFile',
  'type Command',
  'type CommandContext',
  'type CommandDescription',
  'type CommandError',
  'type CommandInfo',
  'type CommandOptions',
  'type CommandRegistry',
  'type CommandRegistryOptions',
  'type CommandResult',
  'type CommandSet',
  'type CommandSummary',
  'type ConfigInput',
  'type ContextControl',
  'type ContextDefinition',
  'type CorsOptions',
  'type DefaultMiddlewareOptions',
  'type DetailEntry',
  'type DetailError',
  'type DetailResult',
  'type DirectClient',
  'type DiscoverResult',
  'type Era',
  'type ErrorCode',
  'type ExecuteOptions',
  'type ExecutionTime',
  'type Executor',
  'type ExposeOptions',
  'type Exposure',
  'type FailureResult',
  'type FileStoreOptions',
  'type GroupBy',
  'type Hit',
  'type HttpServer',
  'type Identity',
  'type ImportResult',
  'type Importer',
  'type ImporterDefinition',
  'type ImporterName',
  'type Index',
  'type InputRelay',
  'type InputSchema',
  'type Introspection',
  'type JsonSchema',
  'type LazyToolsOptions',
  'type ListedTool',
  'type LogLevel',
  'type LoggingOptions',
  'type LoginRefusal',
  'type McpServer',
  'type McpServerOptions',
  'type MetaTool',
  'type MetaToolOptions',
  'type Middleware',
  'type Next',
  'type PipeOutcome',
  'type PipeRequest',
  'type PipeResult',
  'type PlanStep',
  'type Ranker',
  'type RankerName',
  'type RankerPlugin',
  'type RateLimitOptions',
  'type ResultExtras',
  'type ResultMetadata',
  'type ResultSource',
  'type ResultWarning',
  'type RetryOptions',
  'type Rights',
  'type RuleInput',
  'type SchemaCacheStats',
  'type SearchOptions',
  'type ServerInput',
  'type ServerLimits',
  'type SourceInput',
  'type SourcePlugin',
  'type StandardSchema',
  'type StdioServer',
  'type StopOptions',
  'type Store',
  'type StoreOpenOptions',
  'type StorePart',
  'type StorePlugin',
  'type Strategy',
  'type StrategyDefinition',
  'type StrategyEnvironment',
  'type StrategyName',
  'type StrategyOptions',
  'type StrategyPlugin',
  'type StrategyTask',
  'type SuccessResult',
  'type TaskClient',
  'type TaskTool',
  'type TelemetryEvent',
  'type TelemetrySink',
  'type TimeoutOptions',
  'type TimingOptions',
  'type Tool',
  'type ToolCallEvent',
  'type ToolCategory',
  'type ToolDefinition',
  'type ToolEntry',
  'type ToolExample',
  'type ToolRegistry',
  'type ToolRegistryOptions',
  'type ToolResult',
  'type ToolSource',
  'type ToolSummary',
  'type ToolTraits',
  'type TraceContext',
  'type TracingOptions',
  'type Verified',
  'type View',
  'type WrapConnection',
  'type WrapServerOptions',
  'type WrappedServer',
  'wrapServer',
]

describe('the root entry', () => {
  const source = readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8')

  it('the root entry exports exactly the public names', () => {
    expect(exportedNames(source)).toEqual(PUBLIC_NAMES)
  })

  it('the root entry exports at run time exactly the names that are not types', () => {
    expect(Object.keys(api).toSorted()).toEqual(PUBLIC_NAMES.filter((name) => !name.startsWith('type ')))
  })

  it('the list of public names in this test is sorted and has no duplicates', () => {
    expect(PUBLIC_NAMES).toEqual([...new Set(PUBLIC_NAMES)].toSorted())
  })

  it('the root entry consists only of exports that list each name', () => {
    const rest = source.replace(EXPORT_LIST, '').replace(/^\/\/.*$/gm, '')
    expect(rest.trim()).toBe('')
  })
})

it('toolcrib/testing exports exactly the contract suites', () => {
  expect(Object.keys(testing).toSorted()).toEqual([
    'importerContract',
    'rankerContract',
    'sourceContract',
    'storeContract',
    'strategyContract',
  ])
})

describe('the parser of exported names', () => {
  it('the parser distinguishes types from values and reads renamed exports', () => {
    const text = "export type { A, B as C } from './a.ts'\nexport {\n  d,\n  type E,\n  f as g,\n} from './b.ts'\n"
    expect(exportedNames(text)).toEqual(['d', 'g', 'type A', 'type C', 'type E'])
  })
})

const EXPORT_LIST = /^export (type )?\{([^}]*)\} from '[^']+'$/gm

function exportedNames(source: string): string[] {
  const names = [...source.matchAll(EXPORT_LIST)].flatMap(([, allTypes = '', list = '']) =>
    list
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
      .map((entry) => {
        const isType = allTypes !== '' || entry.startsWith('type ')
        const name = entry.replace(/^type /, '').replace(/^.* as /, '')
        return isType ? `type ${name}` : name
      }),
  )
  return names.toSorted()
}
