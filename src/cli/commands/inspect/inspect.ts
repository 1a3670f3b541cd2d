// toolcrib inspect: shows the description and parameters of one tool.

import type { Command } from 'commander'
import type { Environment } from '../../../setup/environment.ts'
import { forPeople, unavailable } from '../../output/error-for-people.ts'
import { withNoServersReason } from '../../output/notes.ts'
import { type CommonFlags, commandOf, failWith, run, type Work } from '../../output/work.ts'
import { readToolWords, serverNeedFor, withNamedTool } from '../../words/tool-words.ts'

interface InspectFlags extends CommonFlags {
  readonly examples?: boolean
}

export function createCommand(environment: Environment): Command {
  return commandOf(
    'inspect',
    'Show what a tool does and which parameters it takes.',
    'inspect files read_text_file --examples',
    'inspect files:read_text_file --json',
  )
    .argument('<server>', 'the name of the server, or server:tool')
    .argument('[tool]', 'the name of the tool')
    .option('--examples', 'show example calls')
    .action((server: string, tool: string | undefined, flags: InspectFlags) =>
      run(environment, flags, (work) => inspect(work, tool === undefined ? [server] : [server, tool], flags)),
    )
}

async function inspect(work: Work, words: readonly string[], flags: InspectFlags): Promise<number> {
  const { output } = work
  const { loadValid } = await import('../../../setup/load-config.ts')
  const { openReadySession } = await import('../../gateway/session.ts')
  const loaded = await loadValid(work)
  const servers = loaded.servers.map(({ name }) => name)
  const named = readToolWords(words, servers, 'inspect')
  await using session = await openReadySession(work, serverNeedFor(named), { loaded })
  const unreachable = session.unreached.get(named.server ?? '')
  if (unreachable !== undefined) return failWith(output, unavailable(named.server ?? '', unreachable))
  const view = await session.view()
  const { detailsOf } = await import('../../../disclosure/strategies/gateway/describe-tool.ts')
  const { toolToDescribe } = await import('../../../disclosure/tool-to-describe.ts')
  const wanted = toolToDescribe({ server: named.server, tool: named.tool }, view)
  if ('refused' in wanted) {
    const { withDisablingRule } = await import('../../gateway/disabled-by.ts')
    const rules = { loaded, view, home: work.environment.home }
    const typed = { command: 'inspect', tool: named.tool } as const
    const error = withDisablingRule(forPeople(withNamedTool(wanted.refused.error, named), typed), named, rules)
    const { explainUnknownServer } = await import('../../config-changes/other-configs.ts')
    const explained = withNoServersReason(error, session.servers.length, session)
    return failWith(output, await explainUnknownServer(work, explained, named.server ?? ''))
  }
  const full = await detailsOf(wanted.tool, { schema: true, examples: flags.examples === true || output.isJson })
  const short = await detailsOf(wanted.tool)
  const { toolLines } = await import('./tool-lines.ts')
  output.show({ ...short, ...full }, () => toolLines(full, flags.examples === true, output))
  return 0
}
