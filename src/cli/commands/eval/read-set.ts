// Reads an evaluation set from files: tools and queries, one JSON value per line or one JSON list.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { z } from 'zod'
import type { SourceListing } from '../../../catalog/snapshot.ts'
import { getOrMake } from '../../../core/collections.ts'
import { defined } from '../../../core/defined.ts'
import { raise } from '../../../core/errors.ts'
import { messageOf } from '../../../core/text.ts'
import type { ToolEntry } from '../../../core/tool.ts'
import { issuesOf } from '../../../core/validate.ts'
import { fileProblem } from '../../output/file-problem.ts'
import type { EvaluationSet } from './measure-ranker.ts'

const toolShape = {
  name: z.string().min(1),
  title: z.string().optional(),
  description: z.string().default(''),
  category: z.string().optional(),
  tags: z.array(z.string()).optional(),
  // Real servers send invalid schemas. An invalid schema counts as an object without properties.
  inputSchema: z.record(z.string(), z.unknown()).catch({ type: 'object' }),
  annotations: z
    .record(z.string(), z.union([z.boolean(), z.string()]))
    .optional()
    .catch(undefined),
}
const toolLine = z.object({ server: z.string().min(1), ...toolShape })
const serverLine = z.object({ server: z.string().min(1), tools: z.array(z.object(toolShape)) })

const toolName = z.object({ server: z.string(), name: z.string() })
const queryLine = z.object({
  id: z.union([z.string(), z.number()]),
  query: z.string(),
  relevant: z.array(toolName.extend({ alts: z.array(toolName).optional() })).min(1),
})

type ToolLine = z.output<typeof toolLine>

export async function readSet(
  files: { readonly tools: string; readonly queries: string },
  cwd: string,
): Promise<EvaluationSet> {
  const tools = (await readValues(files.tools, cwd)).flatMap(({ value, where }) => {
    const isServer = typeof value === 'object' && value !== null && 'tools' in value
    if (!isServer) return [parseAs(toolLine, value, where)]
    const { server, tools: own } = parseAs(serverLine, value, where)
    return own.map((tool) => ({ server, ...tool }))
  })
  const queries = (await readValues(files.queries, cwd)).map(({ value, where }) => {
    const { relevant, ...query } = parseAs(queryLine, value, where)
    return {
      ...query,
      relevant: relevant.map(({ alts, ...tool }) => ({ ...tool, ...(alts === undefined ? {} : { alts }) })),
    }
  })
  return { origin: 'files', listings: groupByServer(tools), queries }
}

/** Groups the tools by server. If a server has two tools with the same name, the first one is kept. */
function groupByServer(tools: readonly ToolLine[]): readonly SourceListing[] {
  const servers = new Map<string, Map<string, ToolEntry>>()
  for (const { server, ...tool } of tools) {
    const entries = getOrMake(servers, server, () => new Map<string, ToolEntry>())
    getOrMake(entries, tool.name, () => entryOf(tool))
  }
  return [...servers].map(([sourceId, entries]) => ({ sourceId, entries: [...entries.values()] }))
}

function entryOf({ title, category, tags, annotations, ...tool }: Omit<ToolLine, 'server'>): ToolEntry {
  return {
    ...tool,
    ...defined({ title, category, tags, annotations }),
    traits: {},
    validate: (value) => ({ ok: true, value }),
  }
}

/** `where` names the file with the line or item, for error messages. */
async function readValues(file: string, cwd: string) {
  const text = (await readText(file, cwd)).replace(/^\ufeff/, '')
  if (text.trimStart().startsWith('[')) {
    const list = parseAs(z.array(z.unknown()), parseJsonAt(text, file), file)
    return list.map((value, at) => ({ value, where: `${file}, item ${at + 1}` }))
  }
  return text.split('\n').flatMap((line, at) => {
    const where = `${file}, line ${at + 1}`
    return line.trim() === '' ? [] : [{ value: parseJsonAt(line, where), where }]
  })
}

async function readText(file: string, cwd: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), 'utf8')
  } catch (error) {
    return refuse(fileProblem(file, error))
  }
}

function parseJsonAt(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return refuse(`${where}: this is not valid JSON: ${messageOf(error)}`)
  }
}

function parseAs<Output>(schema: z.ZodType<Output>, value: unknown, where: string): Output {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const [issue] = issuesOf(error.issues, value)
  return refuse(`${where}: ${issue?.message}`)
}

function refuse(reason: string): never {
  return raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib eval' })
}
