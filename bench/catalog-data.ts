// Reads the tools of real servers for benchmarks: catalog.jsonl in $TOOLCRIB_DATA, or in ../shared/data beside this project.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

export interface CatalogTool {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly title?: string
  readonly annotations?: Readonly<Record<string, string | boolean>>
}

const line = z.object({
  server: z.string(),
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string().default(''),
      inputSchema: z.record(z.string(), z.unknown()).default({}),
      title: z.string().optional(),
      annotations: z
        .record(z.string(), z.union([z.string(), z.boolean()]))
        .optional()
        .catch(undefined),
    }),
  ),
})

export function dataFolder(): string {
  return process.env.TOOLCRIB_DATA ?? '../shared/data'
}

/** Prints a note and returns undefined if the data is missing, because it is not part of this project. */
export function readCatalog(): readonly CatalogTool[] | undefined {
  const file = join(dataFolder(), 'catalog.jsonl')
  if (!existsSync(file)) {
    console.log(`No data: ${file} does not exist. Set TOOLCRIB_DATA to the folder that has catalog.jsonl.`)
    return undefined
  }
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((text) => text !== '')
    .flatMap((text) => {
      const { server, tools } = line.parse(JSON.parse(text))
      return tools.map(({ title, annotations, ...tool }) => ({
        server,
        ...tool,
        ...(title === undefined ? {} : { title }),
        ...(annotations === undefined ? {} : { annotations }),
      }))
    })
}
