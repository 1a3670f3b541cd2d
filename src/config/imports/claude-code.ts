// Imports the servers of Claude Code from ~/.claude.json, which also has settings per project, and from .mcp.json.

import { z } from 'zod'
import { isRecord } from '../../core/is-record.ts'
import { shellDialect } from '../dialect.ts'
import { findKey, ignoredKeys, texts } from '../entries.ts'
import { type ConfigLocation, problemAt, shapeOf } from '../problem.ts'
import {
  type DocumentRecord,
  defineImporter,
  filesBelow,
  readNames,
  sectionOf,
  typedEntry,
  type WriterContext,
} from './importer.ts'
import { commonFields, commonShape, withTools } from './mcp-servers.ts'

export const claudeCode = defineImporter({
  name: 'claude-code',
  paths: filesBelow(['.claude.json'], ['.mcp.json']),
  plan(document, context, location) {
    const project = projectOf(document, context)
    if (project === undefined) return { sections: sectionOf(document, 'mcpServers') }
    const { path: inProject, value } = project
    const at: ConfigLocation = { ...location, path: inProject }
    if (!isRecord(value)) {
      const problem = problemAt(at, { expected: 'an object', found: shapeOf(value) })
      return { sections: sectionOf(document, 'mcpServers'), problems: [problem] }
    }
    const disabled = readNames(value, 'disabledMcpServers', at)
    // Project settings have precedence over global settings: the first server of a name wins.
    const ofProject = sectionOf(value, 'mcpServers').map(({ path, entries }) => ({
      path: [...inProject, ...path],
      entries,
    }))
    return {
      sections: [...ofProject, ...sectionOf(document, 'mcpServers')],
      isDisabled: (name) => disabled.names?.includes(name) ?? disabled.problems.length > 0,
      problems: disabled.problems,
    }
  },
  entry: {
    schema: z.strictObject({
      ...commonShape,
      // Copilot also reads .mcp.json and writes this key.
      tools: texts.optional(),
      timeout: z.number().positive().optional(),
      ...ignoredKeys('headersHelper', 'alwaysLoad'),
    }),
    fields: (entry) => ({ ...withTools(commonFields(entry), entry.tools), timeoutMs: entry.timeout }),
  },
  dialect: () => shellDialect,
  writer: {
    format: 'json',
    sections(document, context) {
      const global: readonly string[] = [findKey(document, 'mcpServers') ?? 'mcpServers']
      const project = projectOf(document, context)
      if (project === undefined || !isRecord(project.value)) return [global]
      const { path, value } = project
      return [global, ...sectionOf(value, 'mcpServers').map((section) => [...path, ...section.path])]
    },
    entry: typedEntry,
  },
})

/** The settings of the current folder in the file, with their path. Undefined if the file has none. */
function projectOf(
  document: DocumentRecord,
  { cwd, platform }: WriterContext,
): { path: readonly string[]; value: unknown } | undefined {
  const all = findKey(document, 'projects') ?? ''
  const projects = document[all]
  if (!isRecord(projects)) return undefined
  const comparable = (path: string) => {
    const plain = path.replaceAll('\\', '/').replace(/(?<=.)\/+$/, '')
    return platform === 'win32' ? plain.toLowerCase() : plain
  }
  const key = Object.keys(projects).find((one) => comparable(one) === comparable(cwd))
  return key === undefined ? undefined : { path: [all, key], value: projects[key] }
}
