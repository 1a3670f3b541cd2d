// Imports the servers of Windsurf from mcp_config.json below ~/.codeium, and from ~/.windsurf/mcp.json.

import { z } from 'zod'
import { editorDialect } from '../dialect.ts'
import { ignoredKeys } from '../entries.ts'
import { pathOn } from '../paths.ts'
import { defineImporter, filesBelow, jsonWriter, sectionOf } from './importer.ts'
import { commonFields, commonShape } from './mcp-servers.ts'

export const windsurf = defineImporter({
  name: 'windsurf',
  paths: filesBelow([
    '.codeium/windsurf/mcp_config.json',
    '.codeium/windsurf-next/mcp_config.json',
    '.windsurf/mcp.json',
  ]),
  plan: (document) => ({ sections: sectionOf(document, 'mcpServers') }),
  entry: {
    schema: z.strictObject({
      ...commonShape,
      serverUrl: z.string().optional(),
      ...ignoredKeys('registry', 'serverInfo'),
    }),
    fields(entry) {
      const { serverUrl } = entry
      return {
        ...commonFields(entry),
        ...(serverUrl === undefined ? {} : { url: serverUrl, keys: { url: ['serverUrl'] } }),
      }
    },
  },
  dialect: ({ home, cwd, platform }) => editorDialect({ home, folder: cwd, separator: pathOn(platform).sep }),
  writer: jsonWriter('mcpServers'),
})
