// The meta-tool <prefix>_tool_schema: returns the full JSON Schema of one tool, from a cache that counts its hits.

import { z } from 'zod'
import { isRecord } from '../../../core/is-record.ts'
import type { CommandResult } from '../../../core/result.ts'
import type { JsonSchema, ListedTool, Tool } from '../../../core/tool.ts'
import { answer } from '../../answer.ts'
import { defineMetaTool } from '../../meta-tool.ts'
import { toolsNamed, withSchemas } from '../../needs.ts'
import type { MetaTool } from '../../strategy.ts'
import { toolToDescribe } from '../../tool-to-describe.ts'

interface SchemaToolOptions {
  readonly name: string
  readonly cache: ReturnType<typeof createSchemaCache<Tool, CommandResult>>
  /** The server's own tools. Their schemas can be asked for, too. */
  own(): readonly ListedTool[]
}

const input = z.strictObject({ tool: z.string().min(1) })

export function createSchemaTool({ name, cache, own }: SchemaToolOptions): MetaTool {
  return defineMetaTool({
    name,
    description: 'The full JSON Schema of what one tool takes. It stays valid for the session.',
    input,
    readOnly: true,
    findsTools: true,
    // The schema of a tool is the same in every context.
    takesContext: false,
    needs: (args) => withSchemas(toolsNamed(isRecord(args) ? args.tool : undefined)),
    async call({ tool: wanted }, view) {
      // The server's own tools come first, as in the listing.
      const ownSchema: JsonSchema | undefined = own().find((tool) => tool.name === wanted)?.inputSchema
      if (ownSchema !== undefined) return answer(ownSchema)
      const found = toolToDescribe(wanted, view)
      return 'refused' in found ? found.refused : cache.get(found.tool, ({ inputSchema }) => answer(inputSchema))
    },
  })
}

/** The counters of the schema cache. */
export interface SchemaCacheStats {
  /** How often a schema was in the cache. */
  readonly hits: number
  /** How often a schema was built. */
  readonly misses: number
}

/** An entry lives as long as its tool object. A changed tool is another object, and its schema is built again. */
export function createSchemaCache<K extends object, V extends object>() {
  const kept = new WeakMap<K, V>()
  let hits = 0
  let misses = 0
  return {
    get(tool: K, make: (tool: K) => V): V {
      const known = kept.get(tool)
      if (known === undefined) misses++
      else hits++
      const value = known ?? make(tool)
      kept.set(tool, value)
      return value
    },
    stats: (): SchemaCacheStats => ({ hits, misses }),
  }
}
