// Any other file: `servers` in our own form, or `mcpServers` as clients write it; JSON, YAML or TOML by its ending.

import { readServers } from '../config-entry.ts'
import { ownDialect } from '../dialect.ts'
import { findKey } from '../entries.ts'
import { problemAt } from '../problem.ts'
import { joinResults, nothing } from '../server-entry.ts'
import { entryPlace, type Importer, openDocument } from './importer.ts'

const ABOUT_THE_FILE = ['$schema', 'version', 'name', 'description']

export const custom: Importer = {
  name: 'custom',
  paths: () => [],
  async parse(text, path, context) {
    const opened = await openDocument(text, path)
    if (!opened.ok) return nothing([opened.problem])
    const { document } = opened
    const keys = ['servers', 'mcpServers'].flatMap((name) => findKey(document, name) ?? [])
    const place = entryPlace('custom', path, context, ownDialect)
    const others = Object.keys(document)
      .filter((key) => !keys.includes(key) && !ABOUT_THE_FILE.includes(key))
      .map((key) =>
        problemAt(
          { file: path, path: [key] },
          {
            severity: 'warning',
            expected: "'servers' or 'mcpServers'",
            found: `'${key}'`,
            message: `Unknown key '${key}'`,
          },
        ),
      )
    return joinResults([
      nothing(others),
      ...keys.map((key) => readServers(document[key], { ...place, path: [key] }, 'warning')),
    ])
  },
}
