// Imports the servers of Claude Desktop from claude_desktop_config.json.

import { z } from 'zod'
import { shellDialect } from '../dialect.ts'
import { ignoredKeys } from '../entries.ts'
import { pathOn, settingsFolder } from '../paths.ts'
import { defineImporter, jsonWriter, sectionOf } from './importer.ts'
import { commonFields, commonShape } from './mcp-servers.ts'

export const claudeDesktop = defineImporter({
  name: 'claude-desktop',
  paths: (environment) => [
    {
      path: pathOn(environment.platform).join(settingsFolder(environment), 'Claude', 'claude_desktop_config.json'),
      scope: 'user',
    },
  ],
  plan: (document) => ({ sections: sectionOf(document, 'mcpServers') }),
  entry: { schema: z.strictObject({ ...commonShape, ...ignoredKeys('extensionId') }), fields: commonFields },
  dialect: () => shellDialect,
  writer: jsonWriter('mcpServers'),
})
