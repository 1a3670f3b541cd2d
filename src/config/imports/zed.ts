// Imports the servers of Zed from `context_servers` in settings.json.

import { z } from 'zod'
import { plainDialect } from '../dialect.ts'
import { ignoredKeys, textRecord, texts } from '../entries.ts'
import { pathOn, settingsFolder, xdgConfigFolder } from '../paths.ts'
import type { ConfigFinding } from '../problem.ts'
import { defineImporter, jsonWriter, plainEntry, sectionOf } from './importer.ts'

/** Older versions keep path, args and env under `command`. */
const nestedCommand = z.looseObject({ path: z.string(), args: texts.optional(), env: textRecord.optional() })

const schema = z.strictObject({
  source: z.string().optional(),
  enabled: z.boolean().optional(),
  command: z.union([z.string(), nestedCommand]).optional(),
  args: texts.optional(),
  env: textRecord.optional(),
  url: z.string().optional(),
  headers: textRecord.optional(),
  ...ignoredKeys('settings', 'timeout', 'remote', 'oauth'),
})

export const zed = defineImporter({
  name: 'zed',
  paths(environment) {
    const { join } = pathOn(environment.platform)
    const windowsFolder = join(settingsFolder(environment), 'Zed')
    return [
      ...(environment.platform === 'win32'
        ? [{ path: join(windowsFolder, 'settings.json'), scope: 'user' as const }]
        : []),
      { path: join(xdgConfigFolder(environment), 'zed', 'settings.json'), scope: 'user' },
      { path: join(environment.cwd, '.zed', 'settings.json'), scope: 'project' },
    ]
  },
  plan: (document) => ({ sections: sectionOf(document, 'context_servers') }),
  entry: {
    schema,
    fields(entry) {
      const { command, source, url, headers, enabled } = entry
      const nested = typeof command === 'object' ? command : undefined
      const isExtension = command === undefined && url === undefined && source !== 'custom'
      return {
        command: typeof command === 'object' ? command.path : command,
        args: nested?.args ?? entry.args,
        env: nested?.env ?? entry.env,
        url,
        headers,
        enabled,
        unusable: isExtension ? FROM_EXTENSION : undefined,
        keys:
          nested === undefined
            ? {}
            : { command: ['command', 'path'], args: ['command', 'args'], env: ['command', 'env'] },
      }
    },
  },
  dialect: () => plainDialect,
  writer: jsonWriter('context_servers', (launch) => ({ source: 'custom', ...plainEntry(launch), env: {} })),
})

const FROM_EXTENSION: ConfigFinding = {
  severity: 'warning',
  expected: "'command' or 'url'",
  found: 'neither',
  message: 'The server comes with an extension of Zed and cannot be started from here',
}
