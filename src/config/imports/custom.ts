// Imports any other JSON, YAML or TOML file. Reads its `servers` and `mcpServers` like the servers of our own config.

import { readServers } from '../config-entry.ts'
import { ownDialect } from '../dialect.ts'
import { findKey } from '../entries.ts'
import { type ConfigProblem, problemAt } from '../problem.ts'
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
    const unknown = Object.keys(document).filter((key) => !keys.includes(key) && !METADATA_KEYS.includes(key))
    return joinResults([
      noServers(unknown.map((key) => unknownKey(path, key))),
      ...keys.map((key) => readServers(document[key], { ...location, path: [key] }, 'warning')),
    ])
  },
}

function unknownKey(file: string, key: string): ConfigProblem {
  const finding = { expected: "'servers' or 'mcpServers'", found: `'${key}'`, message: `Unknown key '${key}'` }
  return problemAt({ file, path: [key] }, { severity: 'warning', kind: 'unknown-key', ...finding })
}
