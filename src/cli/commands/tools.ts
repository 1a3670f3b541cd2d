// toolcrib tools: lists the tools of one server.

import type { Command } from 'commander'
import { raise } from '../../core/errors.ts'
import type { ToolOverview } from '../../disclosure/strategies/gateway/pages.ts'
import type { Environment } from '../../setup/environment.ts'
import type { ExplainedCatalog, WithCatalog } from '../cache/cached-catalog.ts'
import { LIST_SERVERS, unavailable } from '../output/error-for-people.ts'
import { withNoServersReason } from '../output/notes.ts'
import { oneLine, visible, wrap } from '../output/text.ts'
import { type CommonFlags, commandOf, failWith, run, type Work } from '../output/work.ts'

interface ToolsFlags extends CommonFlags {
  readonly all?: boolean
  readonly tags?: boolean
}

export function createCommand(environment: Environment): Command {
  return commandOf('tools', 'List the tools of one server.', 'tools files --all --tags')
    .argument('<server>', 'the name of the server')
    .option('--all', 'include tools that rules disable')
    .option('--tags', 'show tags')
    .action((server: string, flags: ToolsFlags) =>
      run(environment, flags, async (work) =>
        tools(work, server, flags, (await import('../cache/with-catalog.ts')).withCatalog),
      ),
    )
}

export async function tools(work: Work, server: string, flags: ToolsFlags, withCatalog: WithCatalog): Promise<number> {
  if (server === '')
    raise('INVALID_ARGUMENTS', { reason: 'The name of the server is empty', command: 'toolcrib tools' })
  const need = { isNeeded: (name: string) => name === server, isPatient: true }
  return withCatalog(work, need, (catalog) => show(work, server, flags, catalog))
}

async function show(work: Work, server: string, flags: ToolsFlags, catalog: ExplainedCatalog): Promise<number> {
  const { output } = work
  const unreachable = catalog.unreached.get(server)
  if (unreachable !== undefined) return failWith(output, unavailable(server, unreachable))
  const { describeNoTools, pageOfTools, refuseServer } = await import('../../disclosure/strategies/gateway/pages.ts')
  const view = await catalog.view()
  const whole = { server, includeChanged: true, offset: 0, limit: Number.POSITIVE_INFINITY }
  const listed = pageOfTools({ ...whole, includeDisabled: flags.all === true }, view)
  if (listed.kind === 'unknown-server') {
    const { error } = refuseServer(listed, LIST_SERVERS)
    return failWith(output, await catalog.explain(withNoServersReason(error, view.sources.length, catalog), server))
  }
  const enabled = listed.tools.filter((tool) => tool.enabled).length
  const refused = listed.tools.filter(({ change }) => change?.isBlocked === true).length
  const disabled = listed.tools.length - enabled - refused
  const document = { server, tools: listed.tools, enabled, ...(flags.all === true ? { disabled } : {}) }
  output.show(document, () => {
    if (output.isQuiet) return listed.tools.map(({ name }) => oneLine(name))
    const counts = [
      `${enabled} enabled`,
      ...(flags.all === true ? [`${disabled} disabled`] : []),
      ...(refused === 0 ? [] : [`${refused} not approved`]),
    ].join(', ')
    const blocks = listed.tools.flatMap((tool) => ['', ...toolLines(tool, flags, work)])
    const { whyEmpty } = listed
    const why = whyEmpty === undefined ? [] : ['', ...wrap(describeNoTools(whyEmpty, '--all'), output.width)]
    const head = `Tools from ${oneLine(server)} (${counts})${blocks.length === 0 ? '' : ':'}`
    return [...wrap(head, output.width), ...blocks, ...why]
  })
  return 0
}

function toolLines(tool: ToolOverview, flags: ToolsFlags, { output }: Work): readonly string[] {
  const { paint } = output
  const { name, summary, enabled, tags = [], warnings = [], change } = tool
  const mark = enabled ? paint.green('✓') : paint.red('✗')
  return [
    `${mark} ${paint.bold(visible(name))}${stateText(enabled, change)}`,
    ...(summary === '' ? [] : output.wrap(summary, '  ')),
    ...warnings.flatMap((warning) => output.wrap(`Note: ${warning}`, '  ')),
    ...(flags.tags === true && tags.length > 0 ? output.wrap(`Tags: ${tags.join(', ')}`, '  ') : []),
  ]
}

function stateText(enabled: boolean, change: ToolOverview['change']): string {
  if (change === undefined) return enabled ? '' : ' (disabled)'
  if (change.kind === 'unknown') return ' (refused, because the pins of the server cannot be read)'
  return change.isBlocked ? ` (${change.kind}, refused until it is approved)` : ` (${change.kind})`
}
