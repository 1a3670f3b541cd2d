// Formats what `toolcrib import` found, and the commands to run next.

import { faultText } from '../../../config/problem.ts'
import type { ServerConfig } from '../../../config/server-config.ts'
import type { FoundClient } from '../../../setup/discover.ts'
import { clientNames } from '../../../setup/known-clients.ts'
import { isMovable } from '../../config-changes/not-taken.ts'
import { connectionLine } from '../../output/config-lines.ts'
import { count, oneLine, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'

interface ImportMarks {
  readonly leftOut: ReadonlySet<ServerConfig>
  /** The files of the project that the config in force does not read. */
  readonly unread: readonly FoundClient[]
}

export function foundLines(
  found: readonly FoundClient[],
  { leftOut, unread }: ImportMarks,
  { output }: Work,
): readonly string[] {
  const { paint } = output
  const total = found.reduce((sum, { servers }) => sum + servers.length, 0)
  const blocks = found.flatMap((one) => {
    const { client, path, scope, servers, problems, isApproved } = one
    const isRead = !unread.includes(one)
    const note =
      scope === 'user'
        ? ''
        : `, project file, ${isApproved ? 'approved' : 'not approved'}${isRead ? '' : ', not read by the config'}`
    const isBound = (server: ServerConfig) => scope === 'user' && !isMovable(server)
    // A server that is left out, not imported, disabled, not approved or not read gets no check mark.
    const markOf = (server: ServerConfig) => {
      if (leftOut.has(server)) return paint.red('✗')
      return server.enabled && isApproved && isRead && !isBound(server) ? paint.green('✓') : paint.dim('-')
    }
    const stateOf = (server: ServerConfig) => {
      if (leftOut.has(server)) return ' (left out)'
      if (isBound(server)) return ' (not imported)'
      return server.enabled ? '' : ' (disabled)'
    }
    return [
      '',
      `${paint.bold(client)} (${output.path(path)}${note})`,
      ...servers.flatMap((server) => [
        `  ${markOf(server)} ${oneLine(server.name)}${stateOf(server)}`,
        `    ${connectionLine(server.connection)}`,
      ]),
      ...problems
        // If a file has only the entry of the gateway itself, a problem with the severity `info` reports this entry.
        .filter(({ severity }) => severity !== 'info' || servers.length === 0)
        .flatMap((problem) => output.wrap(`${problem.severity}: ${faultText(problem)}`, '  ')),
    ]
  })
  const files = found.filter(({ servers }) => servers.length > 0).length
  const head = total === 0 ? 'Found no servers:' : `Found ${count(total, 'server')} in ${count(files, 'file')}:`
  return [head, ...blocks]
}

/** The smallest config with one server. */
const EXAMPLE_LINES = [
  '  { "discovery": { "servers": { "files":',
  '    { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] } } } }',
]

/** `config` is the path of the config that --write changes. */
export function nothingFoundLines(
  work: Work,
  { from = [] }: { readonly from?: readonly string[] },
  config: string,
): readonly string[] {
  const { width } = work.output
  const whose =
    from.length === 0
      ? 'No client on this machine has MCP servers configured.'
      : `No MCP servers are configured for ${from.join(', ')} on this machine.`
  return [
    ...wrap(whose, width),
    ...wrap(`To use Toolcrib without an import, write servers into ${work.output.path(config)}, for example:`, width),
    ...EXAMPLE_LINES,
    ...wrap('To try the gateway with the bundled example servers, run `toolcrib serve --http --demo`.', width),
  ]
}

interface ImportState {
  /** The path of the config that --write changes. */
  readonly config: string
  /** Whether the config already has the servers. */
  readonly isWritten: boolean
  /** Whether --write also adds sources to the config. */
  readonly addsSources: boolean
}

export function nextLines(
  work: Work,
  found: readonly FoundClient[],
  { config, isWritten, addsSources }: ImportState,
): readonly string[] {
  const client = clientToInstall(found)
  if (client === undefined) return []
  const install = `\`toolcrib install ${client}\` puts the gateway into that client in place of its servers.`
  const write = `\`toolcrib import --write\` copies your servers into ${work.output.path(config)}${addsSources ? ', and adds the sources' : ''}.`
  return ['', ...work.output.wrap(work.output.keepConfig(`Next: ${isWritten ? '' : `${write} `}${install}`))]
}

/** The argument for `install`: the first client that has servers to replace. */
function clientToInstall(found: readonly FoundClient[]): string | undefined {
  const names = clientNames()
  const usable = found.filter(({ client, servers }) => servers.length > 0 && names.includes(client))
  const one = usable.find(({ scope }) => scope === 'user') ?? usable[0]
  return one === undefined ? undefined : `${one.client}${one.scope === 'project' ? ' --project' : ''}`
}
