// Formats the commands that the user can type after an import.

import { join } from 'node:path'
import type { FoundClient } from '../../../setup/discover.ts'
import { clientNames } from '../../../setup/known-clients.ts'
import type { ImportFlags } from '../../output/setup-flags.ts'
import { oneLine, shortPath, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'

/** The smallest config with one server. */
const EXAMPLE_LINES = [
  '  { "discovery": { "servers": { "files":',
  '    { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] } } } }',
]

export function nothingFoundLines(work: Work, { from = [] }: ImportFlags): readonly string[] {
  const { width } = work.output
  const whose =
    from.length === 0
      ? 'No client on this machine has MCP servers configured.'
      : `No MCP servers are configured for ${from.join(', ')} on this machine.`
  return [
    ...wrap(whose, width),
    ...wrap(`To use Toolcrib without an import, write servers into ${ownConfig(work)}, for example:`, width),
    ...EXAMPLE_LINES,
    ...wrap('To try the gateway with the bundled example servers, run `toolcrib serve --http --demo`.', width),
  ]
}

/** `isWritten`: the config already has the servers. */
export function nextLines(work: Work, found: readonly FoundClient[], isWritten: boolean): readonly string[] {
  const client = clientToInstall(found)
  if (client === undefined) return []
  const install = `\`toolcrib install ${client}\` puts the gateway into that client in place of its servers.`
  const write = `\`toolcrib import --write\` copies your servers into ${ownConfig(work)}.`
  return ['', ...wrap(`Next: ${isWritten ? '' : `${write} `}${install}`, work.output.width)]
}

/** The argument for `install`: the first client that has servers to replace. */
function clientToInstall(found: readonly FoundClient[]): string | undefined {
  const names = clientNames()
  const usable = found.filter(({ client, servers }) => servers.length > 0 && names.includes(client))
  const one = usable.find(({ scope }) => scope === 'user') ?? usable[0]
  return one === undefined ? undefined : `${one.client}${one.scope === 'project' ? ' --project' : ''}`
}

function ownConfig({ environment, flags }: Work): string {
  const { configDir, home } = environment
  return oneLine(flags.config ?? shortPath(join(configDir, 'config.json'), home))
}
