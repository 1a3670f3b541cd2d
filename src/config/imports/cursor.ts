// Imports the servers of Cursor from mcp.json in ~/.cursor and in the .cursor folder of a project.

import { z } from 'zod'
import { editorDialect } from '../dialect.ts'
import { ignoredKeys } from '../entries.ts'
import { pathOn } from '../paths.ts'
import { defineImporter, filesBelow, jsonWriter, sectionOf } from './importer.ts'
import { commonFields, commonShape } from './mcp-servers.ts'

export const cursor = defineImporter({
  name: 'cursor',
  paths: filesBelow(['.cursor/mcp.json'], ['.cursor/mcp.json']),
  plan: (document) => ({ sections: sectionOf(document, 'mcpServers') }),
  entry: {
    schema: z.strictObject({ ...commonShape, envFile: z.string().optional(), ...ignoredKeys('transport') }),
    fields: (entry) => ({ ...commonFields(entry), envFile: entry.envFile }),
  },
  dialect: ({ home, cwd, platform }) => editorDialect({ home, folder: cwd, separator: pathOn(platform).sep }),
  writer: jsonWriter('mcpServers'),
})
