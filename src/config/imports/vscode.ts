// Imports the servers of VS Code from mcp.json. Older versions keep them under `mcp` in settings.json.

import { z } from 'zod'
import { isRecord } from '../../core/is-record.ts'
import { type EditorInput, editorDialect } from '../dialect.ts'
import { findKey, ignoredKeys } from '../entries.ts'
import { pathOn, settingsFolder } from '../paths.ts'
import { type DocumentRecord, defineImporter, type Section, sectionOf, typedEntry } from './importer.ts'
import { commonFields, commonShape } from './mcp-servers.ts'

const EDITIONS = ['Code', 'Code - Insiders']

export const vscode = defineImporter({
  name: 'vscode',
  paths(environment) {
    const { join } = pathOn(environment.platform)
    const folders = EDITIONS.map((edition) => join(settingsFolder(environment), edition, 'User'))
    return [
      ...folders.map((folder) => ({ path: join(folder, 'mcp.json'), scope: 'user' as const })),
      ...folders.map((folder) => ({ path: join(folder, 'settings.json'), scope: 'user' as const })),
      { path: join(environment.cwd, '.vscode', 'mcp.json'), scope: 'project' },
      { path: join(environment.cwd, '.vscode', 'settings.json'), scope: 'project' },
    ]
  },
  format: 'json',
  plan: (document) => ({ sections: sectionsOf(document) }),
  entry: {
    schema: z.strictObject({
      ...commonShape,
      envFile: z.string().optional(),
      ...ignoredKeys('dev', 'gallery', 'sandboxEnabled', 'sandbox'),
    }),
    fields: (entry) => ({ ...commonFields(entry), envFile: entry.envFile }),
  },
  dialect: ({ home, cwd, platform }, document) =>
    editorDialect({ home, folder: cwd, separator: pathOn(platform).sep, inputs: inputsOf(document) }),
  writer: {
    format: 'json',
    // Older versions keep the servers in settings.json.
    sections: (document) => [isRecord(document.mcp) ? ['mcp', 'servers'] : [findKey(document, 'servers') ?? 'servers']],
    entry: typedEntry,
  },
})

function sectionsOf(document: DocumentRecord): Section[] {
  const { mcp } = document
  if (!isRecord(mcp)) return sectionOf(document, 'servers', 'mcpServers')
  return sectionOf(mcp, 'servers', 'mcpServers').map(({ path, entries }) => ({ path: ['mcp', ...path], entries }))
}

function inputsOf(document: DocumentRecord): EditorInput[] {
  const { inputs } = isRecord(document.mcp) ? document.mcp : document
  if (!Array.isArray(inputs)) return []
  return inputs.filter(isRecord).flatMap(({ id, default: fallback }) => {
    if (typeof id !== 'string') return []
    return [typeof fallback === 'string' ? { id, fallback } : { id }]
  })
}
