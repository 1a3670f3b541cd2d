// Imports the servers of opencode from `mcp` in opencode.json or opencode.jsonc.

import { z } from 'zod'
import { braceDialect } from '../dialect.ts'
import { ignoredKeys, textRecord, texts } from '../entries.ts'
import { pathOn, xdgConfigFolder } from '../paths.ts'
import { jsonWriter } from './client-writer.ts'
import { defineImporter, sectionOf } from './importer.ts'
import { readToolSwitches } from './opencode-tools.ts'

const schema = z.strictObject({
  type: z.string().optional(),
  command: z.union([z.string(), texts]).optional(),
  args: texts.optional(),
  environment: textRecord.optional(),
  cwd: z.string().optional(),
  url: z.string().optional(),
  headers: textRecord.optional(),
  enabled: z.boolean().optional(),
  ...ignoredKeys('timeout', 'oauth'),
})

export const opencode = defineImporter({
  name: 'opencode',
  paths(environment) {
    const { join } = pathOn(environment.platform)
    const names = ['opencode.json', 'opencode.jsonc']
    return [
      ...names.map((name) => ({ path: join(xdgConfigFolder(environment), 'opencode', name), scope: 'user' as const })),
      ...names.map((name) => ({ path: join(environment.cwd, name), scope: 'project' as const })),
    ]
  },
  plan(document, _, location) {
    const switches = readToolSwitches(document, location)
    return {
      sections: sectionOf(document, 'mcp'),
      rulesOf: (server) => switches.rulesOf(server),
      problems: switches.problems,
    }
  },
  entry: {
    schema,
    fields(entry) {
      const { type, command = [], args = [], environment, cwd, url, headers, enabled } = entry
      const [program, ...rest] = typeof command === 'string' ? [command] : command
      return {
        type,
        command: program,
        args: [...rest, ...args],
        env: environment,
        cwd,
        url,
        headers,
        enabled,
        keys: { env: ['environment'], args: ['command'] },
      }
    },
  },
  dialect: () => braceDialect,
  writer: jsonWriter('mcp', ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true })),
})
