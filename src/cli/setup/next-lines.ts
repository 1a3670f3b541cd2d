// What there is to do after an import, in the words that are typed for it.

import { join } from 'node:path'
import { oneLine, shortPath, wrap } from '../output/text.ts'
import type { Work } from '../work.ts'
import type { FoundClient } from './discover.ts'
import type { ImportFlags } from './flags.ts'
import { clientNames } from './known-clients.ts'

/** The start of a config, as two lines of it. */
const EXAMPLE = [
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
    ...wrap(`To go on without one, write servers into ${ownConfig(work)}, as in`, width),
    ...EXAMPLE,
    ...wrap('To try the gateway with servers that come with it: `toolcrib serve --http --demo`.', width),
  ]
}

/** `isWritten`: the config has them by now. */
export function nextLines(work: Work, found: readonly FoundClient[], isWritten: boolean): readonly string[] {
  const place = installable(found)
  if (place === undefined) return []
  const install = `\`toolcrib install ${place}\` puts the gateway into that client in place of its servers.`
  const write = `\`toolcrib import --write\` takes them over into ${ownConfig(work)}.`
  return ['', ...wrap(`Next: ${isWritten ? '' : `${write} `}${install}`, work.output.width)]
}

/** What `install` takes: the first client that has servers to stand for. */
function installable(found: readonly FoundClient[]): string | undefined {
  const names = clientNames()
  const usable = found.filter(({ client, servers }) => servers.length > 0 && names.includes(client))
  const one = usable.find(({ scope }) => scope === 'user') ?? usable[0]
  return one === undefined ? undefined : `${one.client}${one.scope === 'project' ? ' --project' : ''}`
}

function ownConfig({ environment, flags }: Work): string {
  const { configDir, home } = environment
  return oneLine(flags.config ?? shortPath(join(configDir, 'config.json'), home))
}
