// The strategy `categories`: lists three tools to browse by category, then the tools that the listing mode shows.

import { z } from 'zod'
import { defineStrategy, parameterHints } from '../../strategy.ts'
import { createListing, listingFlags, listingShape, listingVariants } from '../listing/listing.ts'
import { createBrowseTools } from './browse-tools.ts'

export const categories = defineStrategy({
  name: 'categories',
  options: z.strictObject({
    ...listingShape,
    /** Descriptions of categories. They replace those derived from the server or its tools. */
    descriptions: z.record(z.string(), z.string()).default({}),
  }),
  flags: listingFlags,
  variants: listingVariants,
  create({ descriptions, ...options }, environment) {
    const own = createBrowseTools(environment, descriptions)
    const ownTools = () => own.map((tool) => tool.listed)
    const { listing, calls } = createListing(options, environment, { find: 'list_tool_categories', ownTools })
    return {
      ...listing,
      metaTools: [...own, ...listing.metaTools],
      task: {
        async find(client, { category }) {
          const all = await client.ask('list_tool_categories', {})
          if (!all.includes(`"${category}"`)) throw new Error(`No category '${category}' in ${all}`)
          return client.ask('get_category_tools', { category })
        },
        inspect: (client, { id }) => client.ask('get_tool_schema', { toolName: id }),
        call: calls.task,
      },
      hints: parameterHints('list_tool_categories', (name) => `Call get_tool_schema with toolName '${name}'`),
      guide: [
        '1. list_tool_categories lists the categories; get_category_tools lists the tools of a category.',
        '2. get_tool_schema gives the schema of a tool. Skip step 1 if you know the name.',
        `3. ${calls.guide}`,
      ].join('\n'),
    }
  },
})
