// Imports the servers of GitHub Copilot CLI from mcp-config.json of the user and from .mcp.json of a project.

import { z } from 'zod'
import { shellDialect } from '../dialect.ts'
import { ignoredKeys, texts } from '../entries.ts'
import { pathOn } from '../paths.ts'
import { defineImporter, jsonWriter, sectionOf, typedEntry } from './importer.ts'
import { commonFields, commonShape, withTools } from './mcp-servers.ts'

export const copilot = defineImporter({
  name: 'copilot',
  paths({ home, cwd, platform, env }) {
    const { join } = pathOn(platform)
    return [
      { path: join(env.COPILOT_HOME || join(home, '.copilot'), 'mcp-config.json'), scope: 'user' },
      { path: join(cwd, '.mcp.json'), scope: 'project' },
    ]
  },
  plan: (document) => ({ sections: sectionOf(document, 'mcpServers') }),
  entry: {
    schema: z.strictObject({
      ...commonShape,
      tools: texts.optional(),
      timeout: z.number().positive().optional(),
      ...ignoredKeys('filterMapping', 'isDefaultServer'),
    }),
    fields: (entry) => ({ ...withTools(commonFields(entry), entry.tools), timeoutMs: entry.timeout }),
  },
  dialect: () => shellDialect,
  // Claude Code also reads .mcp.json, and does not support the type `local`.
  writer: jsonWriter('mcpServers', (launch) => ({ ...typedEntry(launch), tools: ['*'] })),
})
