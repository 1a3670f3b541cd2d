// The answer of list_tools: a page of the tools of one server. Tools that a rule disables are included only on request.

import type { CommandResult } from '../../../core/result.ts'
import { firstSentence } from '../../../core/text.ts'
import type { DescribedTool } from '../../../core/tool.ts'
import { answer } from '../../answer.ts'
import type { SearchableCatalog } from '../../searchable-catalog.ts'
import type { SourceView } from '../../view.ts'
import { unknownServer } from './unknown-server.ts'

export interface ToolPageRequest {
  readonly server: string
  readonly includeDisabled: boolean
  readonly offset: number
  readonly limit: number
}

export async function pageOfTools(wanted: ToolPageRequest, catalog: SearchableCatalog): Promise<CommandResult> {
  const { server, includeDisabled, offset, limit } = wanted
  const source = catalog.sources.find(({ id }) => id === server)
  if (source === undefined) return unknownServer(server, catalog)
  const tools = toolsOf(server, catalog, includeDisabled)
  const page = tools.slice(offset, offset + limit)
  return answer({
    server,
    tools: page.map(summarize),
    total: tools.length,
    hasMore: offset + page.length < tools.length,
    ...(page.length === 0 ? { reason: whyEmpty(source, tools.length, catalog) } : {}),
  })
}

function toolsOf(
  server: string,
  { visible, known }: SearchableCatalog,
  includeDisabled: boolean,
): readonly DescribedTool[] {
  const shown = includeDisabled
    ? known.tools.filter((tool) => tool.disabled !== undefined || visible.get(tool.id) !== undefined)
    : visible.tools
  return shown.filter((tool) => tool.sourceId === server)
}

function summarize({ name, description, disabled, tags }: DescribedTool) {
  return {
    name,
    summary: firstSentence(description),
    enabled: disabled === undefined,
    ...(tags === undefined || tags.length === 0 ? {} : { tags }),
  }
}

function whyEmpty(
  { state, reason = '', id, toolCount }: SourceView,
  total: number,
  catalog: SearchableCatalog,
): string {
  if (total > 0) return `The offset is past the last of ${total}.`
  if (state === 'failed') return `The server could not be started: ${firstSentence(reason, 200)}`
  if (state === 'starting') return 'The server is still starting; ask again in a moment.'
  if (toolCount === undefined) return 'The server has not listed its tools yet; ask again in a moment.'
  const disabled = toolsOf(id, catalog, true).length
  return disabled === 0
    ? 'The server has no tools.'
    : `${disabled === 1 ? 'The only tool is' : `All ${disabled} tools are`} disabled by rules; includeDisabled lists ${disabled === 1 ? 'it' : 'them'}.`
}
