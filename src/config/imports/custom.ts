// Imports any other JSON, YAML or TOML file: `servers` in our own format, or `mcpServers` in the format of clients.

import { readServers } from '../config-entry.ts'
import { ownDialect } from '../dialect.ts'
import { findKey } from '../entries.ts'
import { problemAt } from '../problem.ts'
import { joinResults, noServers } from '../server-entry.ts'
import { entryLocation, type Importer, openDocument } from './importer.ts'

const METADATA_KEYS = ['$schema', 'version', 'name', 'description']

export const custom: Importer<'custom'> = {
  name: 'custom',
  paths: () => [],
  async parse(text, path, context) {
    const opened = await openDocument(text, path)
    if (!opened.ok) return noServers([opened.problem])
    const { document } = opened
    const keys = ['servers', 'mcpServers'].flatMap((name) => findKey(document, name) ?? [])
    const location = entryLocation('custom', path, context, ownDialect)
    const others = Object.keys(document)
      .filter((key) => !keys.includes(key) && !METADATA_KEYS.includes(key))
      .map((key) =>
        problemAt(
          { file: path, path: [key] },
          {
            severity: 'warning',
            kind: 'unknown-key',
            expected: "'servers' or 'mcpServers'",
            found: `'${key}'`,
            message: `Unknown key '${key}'`,
          },
        ),
      )
    return joinResults([
      noServers(others),
      ...keys.map((key) => readServers(document[key], { ...location, path: [key] }, 'warning')),
    ])
  },
}
