// Imports the servers of Docker MCP Toolkit: mcp-servers.json, or its gateway if registry.yaml enables servers.

import { z } from 'zod'
import { isRecord } from '../../core/is-record.ts'
import { shellDialect } from '../dialect.ts'
import { type ConfigLocation, problemAt, shapeOf } from '../problem.ts'
import {
  type DocumentPlan,
  type DocumentRecord,
  defineImporter,
  filesBelow,
  jsonWriter,
  sectionOf,
} from './importer.ts'
import { commonFields, commonShape } from './mcp-servers.ts'

export const dockerMcp = defineImporter({
  name: 'docker-mcp',
  paths: filesBelow(['.docker/mcp-servers.json', '.docker/mcp/registry.yaml']),
  plan: (document, _, location) =>
    Object.hasOwn(document, 'registry')
      ? planOfRegistry(document, location)
      : { sections: sectionOf(document, 'mcpServers') },
  entry: { schema: z.strictObject(commonShape), fields: commonFields },
  dialect: () => shellDialect,
  writer: jsonWriter('mcpServers'),
})

/** The name that Docker itself uses for its gateway in other clients. */
const GATEWAY = 'MCP_DOCKER'

function planOfRegistry({ registry }: DocumentRecord, location: ConfigLocation): DocumentPlan {
  const hasServers = isRecord(registry) && Object.keys(registry).length > 0
  if (hasServers) {
    const entries = { [GATEWAY]: { command: 'docker', args: ['mcp', 'gateway', 'run'] } }
    return { sections: [{ path: ['registry'], entries }] }
  }
  const isEmpty = registry === null || isRecord(registry)
  const finding = { expected: 'an object with one entry per server', found: shapeOf(registry) }
  return { sections: [], problems: isEmpty ? [] : [problemAt({ ...location, path: ['registry'] }, finding)] }
}
