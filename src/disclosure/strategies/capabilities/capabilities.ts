// The strategy `capabilities`: lists an inventory tool and a schema tool, then the tools that the listing mode shows.

import { z } from 'zod'
import { DEFAULT_PREFIX } from '../../../core/names.ts'
import type { CommandResult } from '../../../core/result.ts'
import type { Tool } from '../../../core/tool.ts'
import { defineStrategy, type MetaTool, parameterHints, type StrategyEnvironment } from '../../strategy.ts'
import { createListing, listingFlags, listingShape, listingVariants } from '../listing/listing.ts'
import { createCapabilities, withCategories } from './capabilities-tool.ts'
import { createSchemaCache, createSchemaTool } from './schema-tool.ts'

export const capabilities = defineStrategy({
  name: 'capabilities',
  options: z.strictObject({
    ...listingShape,
    /** Default: the configured prefix of the server's own tools, else the name of the server. */
    prefix: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,40}$/, 'expected up to 40 letters, digits, _ or -')
      .optional(),
    inventoryBudget: z.int().min(100).default(1_500),
    /** Default: the most used tools. */
    quickActions: z.array(z.string().min(1)).optional(),
    /** Descriptions of categories. They replace those derived from the server or its tools. */
    descriptions: z.record(z.string(), z.string()).default({}),
  }),
  flags: {
    ...listingFlags,
    inventoryBudget: { kind: 'number', about: 'tokens for the inventory (default: 1500)' },
  },
  variants: listingVariants,
  create({ prefix, inventoryBudget, quickActions, descriptions, ...options }, environment) {
    const namePrefix = prefix ?? choosePrefix(environment)
    const names = { capabilities: `${namePrefix}_capabilities`, schema: `${namePrefix}_tool_schema` }
    const { listing, calls } = createListing(options, environment, {
      find: names.capabilities,
      ownTools: (view) => [withCategories(inventory.listed, view), schemaTool.listed],
    })
    const cache = createSchemaCache<Tool, CommandResult>()
    const inventory = createCapabilities(
      {
        name: names.capabilities,
        inventoryBudget,
        quickActions,
        descriptions,
        // All used tools and not only the first few, because a caller may see only the least used ones.
        mostUsed: Promise.resolve(
          quickActions === undefined ? (environment.usage?.top(Number.POSITIVE_INFINITY) ?? []) : [],
        ),
        async system(view) {
          const invoker = await calls.listedInvoker(view)
          return [
            { name: names.capabilities, description: 'This inventory' },
            { name: names.schema, description: 'The schema of one tool' },
            ...(invoker === undefined ? [] : [{ name: invoker, description: 'Run a tool by name' }]),
          ]
        },
      },
      environment,
    )
    const schemaTool = createSchemaTool({ name: names.schema, cache, own: () => metaTools.map(({ listed }) => listed) })
    const metaTools: readonly MetaTool[] = [inventory, schemaTool, ...listing.metaTools]
    return {
      ...listing,
      metaTools,
      // True even if the listing mode is 'hidden', because the schema of the inventory tool lists the categories.
      listsCatalog: true,
      task: {
        async find(client, { id, category }) {
          const all = await client.ask(names.capabilities, {})
          // A large inventory shows only the size of a category. The agent then asks for the category.
          return all.includes(`"${id}"`) ? all : client.ask(names.capabilities, { category })
        },
        inspect: (client, { id }) => client.ask(names.schema, { tool: id }),
        call: calls.task,
      },
      hints: parameterHints(names.capabilities, (name) => `Call ${names.schema} with tool '${name}'`),
      stats: () => ({ schemaCache: cache.stats() }),
      guide: [
        `1. ${names.capabilities} shows what this server can do, by category.`,
        `2. ${names.schema} gives the full schema of a tool.`,
        `3. ${calls.guide}`,
      ].join('\n'),
    }
  },
})

/** With the longest suffix, `_capabilities`, a tool name then has fewer than 64 characters, which is the maximum. */
const MAX_PREFIX_CHARS = 40

/** The configured prefix of the server's own tools, else the server's name: `my_server` for `@scope/my-Server`. */
function choosePrefix({ prefix, server }: StrategyEnvironment): string {
  if (prefix !== DEFAULT_PREFIX || server === undefined) return prefix
  const legal = server.name
    .replace(/^.*\//s, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, MAX_PREFIX_CHARS)
    .replace(/^_+|_+$/g, '')
  return legal === '' ? 'server' : legal
}
