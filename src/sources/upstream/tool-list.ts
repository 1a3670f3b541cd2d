// Fetches and checks the tools of a server, page by page. Malformed tools are reported and left out.

import { escapeUnseen } from '../../core/clean-text.ts'
import { defined } from '../../core/defined.ts'
import { isRecord } from '../../core/is-record.ts'
import { extentOf } from '../../core/json.ts'
import { cutLongText } from '../../core/text.ts'
import type { ListedTool } from '../../core/tool.ts'
import { cleanTool } from './clean-tool.ts'

/** The known fields of a tool, as its server describes it. */
export interface UpstreamTool extends Omit<ListedTool, 'description'> {
  readonly description?: string
  /** Warnings about its name, and about characters that were removed. Not a field of the protocol. */
  readonly warnings?: readonly string[]
  /** The hash of the tool as it was sent. Not a field of the protocol. */
  readonly pin?: string
}

/** A problem that prevents the use of a tool or a part of the list. */
export interface ListProblem {
  /** The name of the tool, if it has one. */
  readonly tool?: string
  readonly reason: string
}

export interface ToolList {
  readonly tools: readonly UpstreamTool[]
  /** The same tools with their texts as they were sent. */
  readonly sent: ReadonlyMap<string, UpstreamTool>
  readonly problems: readonly ListProblem[]
}

interface ListLimits {
  readonly maxPages?: number
  readonly maxTools?: number
}

const MAX_PAGES = 200
const MAX_TOOLS = 20_000
const MAX_NAME_CHARS = 256
/** The largest of thousands of real tools has a tenth of this size. A larger tool is left out. */
const MAX_TOOL_BYTES = 1024 * 1024
const MAX_LIST_BYTES = 64 * 1024 * 1024
const MAX_LEVELS = 200

/** Fetches all pages and checks their tools. `fetchPage` returns the unchecked result of the server. */
export async function collectTools(
  fetchPage: (cursor: string | undefined) => Promise<unknown>,
  { maxPages = MAX_PAGES, maxTools = MAX_TOOLS }: ListLimits = {},
): Promise<ToolList> {
  const sent: unknown[] = []
  const problems: ListProblem[] = []
  const seenCursors = new Set<string>()
  let bytes = 0
  /** Why the rest of the list is left out. */
  const reasonToStop = (page: number, nextCursor: string | undefined): string | undefined => {
    if (sent.length > maxTools) return `it lists more than ${maxTools} tools`
    if (nextCursor === undefined) return undefined
    if (page >= maxPages) return `its list has more than ${maxPages} pages`
    if (bytes > MAX_LIST_BYTES) return `its list has more than ${MAX_LIST_BYTES} bytes`
    return seenCursors.has(nextCursor) ? 'its list repeats a page cursor' : undefined
  }
  for (let cursor: string | undefined, page = 1; ; page++) {
    const result = await fetchPage(cursor)
    const { tools, nextCursor: next } = isRecord(result) ? result : {}
    const nextCursor = typeof next === 'string' && next !== '' ? next : undefined
    if (Array.isArray(tools)) {
      const taken = tools.slice(0, maxTools + 1 - sent.length)
      bytes += extentOf(taken, { maxBytes: MAX_LIST_BYTES, maxLevels: Number.POSITIVE_INFINITY }).bytes
      // The tools of a page that is too large are kept. `checkTools` leaves out each tool that is too large by itself.
      sent.push(...taken)
    } else problems.push({ reason: `page ${page} of its list has no tools` })
    const reason = reasonToStop(page, nextCursor)
    if (reason !== undefined) problems.push({ reason: `${reason}; the rest is left out` })
    if (reason !== undefined || nextCursor === undefined) break
    seenCursors.add(nextCursor)
    cursor = nextCursor
  }
  const checked = checkTools(sent.slice(0, maxTools))
  return { ...checked, problems: [...problems, ...checked.problems] }
}

/** Returns the valid tools in their order with clean texts, and the problems of the others. */
export function checkTools(sent: readonly unknown[]): ToolList {
  const tools = new Map<string, UpstreamTool>()
  const asSent = new Map<string, UpstreamTool>()
  const problems: ListProblem[] = []
  sent.forEach((candidate, index) => {
    const read = readTool(candidate)
    if (!('tool' in read)) {
      const { shownName: tool, reason } = read
      const which = tool === undefined ? `tool ${index + 1} of its list` : `its tool '${tool}'`
      problems.push({ ...defined({ tool }), reason: `${which} ${reason}` })
      return
    }
    const { name } = read.tool
    if (tools.has(name)) {
      problems.push({ tool: name, reason: `it lists '${escapeUnseen(name)}' again as tool ${index + 1}` })
    } else {
      asSent.set(name, read.tool)
      tools.set(name, cleanTool(read.tool))
    }
  })
  return { tools: [...tools.values()], sent: asSent, problems }
}

type ReadTool = { readonly tool: UpstreamTool } | { readonly shownName?: string; readonly reason: string }

function readTool(candidate: unknown): ReadTool {
  if (!isRecord(candidate)) return { reason: 'is not an object' }
  const { name, title, description, inputSchema, outputSchema, annotations, icons, _meta } = candidate
  const { bytes, levels } = extentOf(candidate, { maxBytes: MAX_TOOL_BYTES, maxLevels: MAX_LEVELS })
  if (typeof name !== 'string' || name.trim() === '') return { reason: 'has no name' }
  const refuse = (reason: string) => ({ shownName: cutLongText(escapeUnseen(name), 80), reason })
  if (name.length > MAX_NAME_CHARS) return refuse(`has a name longer than ${MAX_NAME_CHARS} characters`)
  if (/\p{Cc}/u.test(name)) return refuse('has control characters in its name')
  if (bytes > MAX_TOOL_BYTES) return refuse(`is larger than ${MAX_TOOL_BYTES} bytes`)
  if (levels > MAX_LEVELS) return refuse(`is nested deeper than ${MAX_LEVELS} levels`)
  if (!isRecord(inputSchema)) return refuse('has no inputSchema')
  // Clients require the type. Arguments are always an object, so the added type does not refuse any of them.
  const schema = inputSchema.type === undefined ? { ...inputSchema, type: 'object' } : inputSchema
  if (schema.type !== 'object') return refuse("has an inputSchema whose type is not 'object'")
  const hints = hintsIn(annotations)
  const tool = {
    name,
    ...(typeof title === 'string' && title !== '' ? { title } : {}),
    ...(typeof description === 'string' && description !== '' ? { description } : {}),
    inputSchema: schema,
    ...(isRecord(outputSchema) ? { outputSchema } : {}),
    ...(hints === undefined ? {} : { annotations: hints }),
    ...(Array.isArray(icons) && icons.length > 0 && icons.every(isIcon) ? { icons } : {}),
    ...(isRecord(_meta) ? { _meta } : {}),
  }
  return { tool }
}

function hintsIn(annotations: unknown): Record<string, boolean | string> | undefined {
  if (!isRecord(annotations)) return undefined
  const hints = Object.entries(annotations).filter(
    (entry): entry is [string, boolean | string] => typeof entry[1] === 'boolean' || typeof entry[1] === 'string',
  )
  return hints.length === 0 ? undefined : Object.fromEntries(hints)
}

/** Icons are checked, because a client would reject the whole list for one invalid icon. */
function isIcon(icon: unknown): boolean {
  return isRecord(icon) && typeof icon.src === 'string'
}
