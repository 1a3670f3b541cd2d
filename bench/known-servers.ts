// The servers of the catalog with their tools, or the same number of generated tools if the catalog is missing.

import { groupBy } from '../src/core/collections.ts'
import type { StoredServer } from '../test/fixtures/stored-gateway.ts'
import { type CatalogTool, readCatalog } from './catalog-data.ts'

const KNOWN_TOOLS = 4_474

export function knownServers(): readonly StoredServer[] {
  const found = readCatalog()
  if (found === undefined) console.log('A generated catalog of the same size is used instead.')
  return serversOf(found ?? syntheticCatalog(KNOWN_TOOLS))
}

export function serversOf(catalog: readonly CatalogTool[]): readonly StoredServer[] {
  const servers = groupBy(catalog, ({ server }) => server)
  return [...servers].map(([name, tools]) => ({ name, tools: tools.map(({ server: _server, ...tool }) => tool) }))
}

export function syntheticCatalog(size: number, servers = 168): readonly CatalogTool[] {
  const verbs = ['create', 'list', 'update', 'delete', 'search', 'export', 'assign', 'archive', 'close']
  const nouns = ['issue', 'order', 'invoice', 'message', 'file', 'branch', 'ticket', 'event', 'contact', 'report']
  return Array.from({ length: size }, (_, at) => {
    const [verb, noun] = [verbs[at % verbs.length], nouns[Math.floor(at / verbs.length) % nouns.length]]
    return {
      server: `server-${at % servers}`,
      name: `${verb}_${noun}_${at}`,
      description: `${verb} the ${noun} number ${at} of a project. Takes its name, who it is for, and a note.`,
      inputSchema: {
        type: 'object',
        properties: {
          [`${noun}_name`]: { type: 'string', description: `What the ${noun} is called` },
          assignee: { type: 'string', description: 'Who it is for' },
          note: { type: 'string' },
        },
        required: [`${noun}_name`],
      },
    }
  })
}
