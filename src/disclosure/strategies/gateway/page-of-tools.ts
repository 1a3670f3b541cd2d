// Selects one page of the tools of a server. Tools that a rule or a pin blocks are included only on request.

import { firstSentence } from '../../../core/text.ts'
import type { DescribedTool, ToolChange } from '../../../core/tool.ts'
import { pastTheEnd } from '../../answer.ts'
import type { SearchableCatalog, SourceView } from '../../view.ts'
import { type UnknownServer, unknownServer } from './unknown-server.ts'

interface ToolPageRequest {
  readonly server: string
  readonly includeDisabled: boolean
  /**
   * Includes tools that are refused because they differ from their pins. Only for people: the texts of these tools may
   * be meant to deceive a model.
   */
  readonly includeChanged?: boolean
  readonly offset: number
  readonly limit: number
}

export interface ToolOverview {
  readonly name: string
  readonly summary: string
  readonly enabled: boolean
  readonly tags?: readonly string[]
  readonly warnings?: readonly string[]
  readonly change?: ToolChange
}

interface ToolPage {
  readonly kind: 'page'
  readonly server: string
  readonly tools: readonly ToolOverview[]
  readonly total: number
  readonly hasMore: boolean
  /** Set if the page has no tools. */
  readonly whyEmpty?: WhyNoTools
}

type WhyNoTools =
  | { readonly kind: 'past-the-end'; readonly total: number }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'starting' | 'unlisted' | 'none' | 'changed' }
  | { readonly kind: 'disabled'; readonly count: number }

export function pageOfTools(wanted: ToolPageRequest, catalog: SearchableCatalog): ToolPage | UnknownServer {
  const { server, includeDisabled, includeChanged = false, offset, limit } = wanted
  const source = catalog.sources.find(({ id }) => id === server)
  if (source === undefined) return unknownServer(server, catalog)
  const tools = toolsOf(server, catalog, includeDisabled, includeChanged)
  const page = tools.slice(offset, offset + limit)
  return {
    kind: 'page',
    server,
    tools: page.map(summarizeTool),
    total: tools.length,
    hasMore: offset + page.length < tools.length,
    ...(page.length === 0 ? { whyEmpty: whyEmpty(source, tools.length, catalog) } : {}),
  }
}

/** `flag` names the argument or the flag that includes disabled tools. */
export function describeNoTools(why: WhyNoTools, flag: string): string {
  switch (why.kind) {
    case 'past-the-end':
      return pastTheEnd(why.total)
    case 'failed':
      return `The server could not be started: ${firstSentence(why.reason, 200)}`
    case 'starting':
      return 'The server is still starting; ask again in a moment.'
    case 'unlisted':
      return 'The server has not listed its tools yet; ask again in a moment.'
    case 'none':
      return 'The server has no tools.'
    case 'changed':
      return 'All tools of the server differ from their pins and are refused; tell the user to run `toolcrib pins`.'
    case 'disabled':
      return why.count === 1
        ? `The only tool is disabled by rules; ${flag} lists it.`
        : `All ${why.count} tools are disabled by rules; ${flag} lists them.`
  }
}

function toolsOf(
  server: string,
  { visible, known }: SearchableCatalog,
  includeDisabled: boolean,
  includeChanged = false,
): readonly DescribedTool[] {
  const isIncluded = ({ disabled, change }: DescribedTool) =>
    disabled === undefined ? includeChanged && change?.isBlocked === true : includeDisabled
  const shown =
    includeDisabled || includeChanged
      ? known.tools.filter((tool) => isIncluded(tool) || visible.get(tool.id) !== undefined)
      : visible.tools
  return shown.filter((tool) => tool.sourceId === server)
}

function summarizeTool({ name, description, disabled, tags, warnings = [], change }: DescribedTool): ToolOverview {
  return {
    name,
    summary: firstSentence(description),
    enabled: disabled === undefined && change?.isBlocked !== true,
    ...(tags === undefined || tags.length === 0 ? {} : { tags }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(change === undefined ? {} : { change }),
  }
}

function whyEmpty(
  { state, reason = '', id, toolCount }: SourceView,
  total: number,
  catalog: SearchableCatalog,
): WhyNoTools {
  if (total > 0) return { kind: 'past-the-end', total }
  if (state === 'failed') return { kind: 'failed', reason }
  if (state === 'starting') return { kind: 'starting' }
  if (toolCount === undefined) return { kind: 'unlisted' }
  const count = toolsOf(id, catalog, true).length
  if (count > 0) return { kind: 'disabled', count }
  return { kind: toolsOf(id, catalog, false, true).length === 0 ? 'none' : 'changed' }
}
