// Serves the tools of real servers under one strategy, in this process. Calls are answered at once without a server.

import { groupBy } from '../../src/core/collections.ts'
import { createSchemaValidator } from '../../src/core/json-schema.ts'
import { success } from '../../src/core/result.ts'
import type { ToolId } from '../../src/core/tool.ts'
import { type Crib, createCrib } from '../../src/crib/crib.ts'
import { createResultLimit } from '../../src/dispatch/result-limit/result-limit.ts'
import type { ToolSource } from '../../src/sources/source.ts'
import { createMemoryStore } from '../../src/storage/memory.ts'
import type { CatalogTool } from '../catalog-data.ts'

const validator = createSchemaValidator()

export interface CatalogCribOptions {
  readonly strategy: string
  readonly strategyOptions: object
  /** The tools that the user calls most. */
  readonly used?: readonly ToolId[]
}

export function catalogCrib(tools: readonly CatalogTool[], options: CatalogCribOptions): Crib {
  const { strategy, strategyOptions, used = [] } = options
  const sources = [...groupBy(tools, ({ server }) => server)].map(([server, own]) => sourceOf(server, own))
  // The same limit as in a gateway.
  const results = createResultLimit({ store: createMemoryStore() })
  return createCrib({
    about: { name: 'bench', version: '1.0.0' },
    sources,
    strategy,
    strategyOptions,
    builtins: false,
    search: { usage: { top: () => used } },
    calls: { results },
  })
}

function sourceOf(server: string, tools: readonly CatalogTool[]): ToolSource {
  const entries = tools
    .filter((tool) => tool.inputSchema.type === 'object')
    .map(({ name, description, inputSchema, title, annotations }) => ({
      name,
      ...(title === undefined ? {} : { title }),
      ...(annotations === undefined ? {} : { annotations }),
      description,
      inputSchema,
      traits: {},
      validate: (value: unknown) => validator.validate(inputSchema, value),
    }))
  return {
    id: server,
    list: async () => entries,
    call: async () => success('done'),
    async [Symbol.asyncDispose]() {},
  }
}
