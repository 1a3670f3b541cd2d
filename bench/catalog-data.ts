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

const catalogLine = z.object({
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

const CATALOG = 'catalog.jsonl'

export function describeMissingCatalog(): string {
  return `No data: the tool lists of the 168 real servers are not part of this repository. Set TOOLCRIB_DATA to the folder that has them in ${CATALOG}; ${dataFolder()} has no such file.`
}

/** Prints a note and returns undefined if the data is missing, because it is not part of this project. */
export function readCatalog(): readonly CatalogTool[] | undefined {
  if (!existsSync(join(dataFolder(), CATALOG))) {
    console.log(describeMissingCatalog())
    return undefined
  }
  return readLines(CATALOG).flatMap((line) => {
    const { server, tools } = catalogLine.parse(line)
    return tools.map(({ title, annotations, ...tool }) => ({
      server,
      ...tool,
      ...(title === undefined ? {} : { title }),
      ...(annotations === undefined ? {} : { annotations }),
    }))
  })
}

/** Returns the lines of a JSONL file in the data folder. The README of the data describes their format. */
export function readLines<Line>(path: string): Line[] {
  return readFileSync(join(dataFolder(), path), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text))
}
