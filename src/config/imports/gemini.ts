// Imports the servers of Gemini CLI from settings.json in ~/.gemini and in the .gemini folder of a project.

import { z } from 'zod'
import { isRecord } from '../../core/is-record.ts'
import { dollarDialect } from '../dialect.ts'
import { ignoredKeys } from '../entries.ts'
import { type ConfigLocation, problemAt, shapeOf } from '../problem.ts'
import {
  type DocumentPlan,
  type DocumentRecord,
  defineImporter,
  filesBelow,
  jsonWriter,
  readNames,
  sectionOf,
} from './importer.ts'
import { commonFields, commonShape } from './mcp-servers.ts'

export const gemini = defineImporter({
  name: 'gemini',
  paths: filesBelow(['.gemini/settings.json'], ['.gemini/settings.json']),
  plan: (document, _, location) => ({
    sections: sectionOf(document, 'mcpServers'),
    ...serverLists(document, location),
  }),
  entry: {
    schema: z.strictObject({
      ...commonShape,
      httpUrl: z.string().optional(),
      timeout: z.number().positive().optional(),
      ...ignoredKeys('trust', 'tcp', 'extension', 'extensionName', 'authProviderType'),
      ...ignoredKeys('targetAudience', 'targetServiceAccount'),
    }),
    fields(entry) {
      const { httpUrl, url, type, timeout } = entry
      const common = commonFields(entry)
      return {
        ...common,
        // `httpUrl` has precedence over `url` in Gemini. A `url` without a type uses the older SSE transport.
        ...(httpUrl === undefined ? {} : { type: 'http', url: httpUrl, keys: { url: ['httpUrl'] } }),
        ...(httpUrl === undefined && url !== undefined ? { type: type ?? 'sse' } : {}),
        timeoutMs: timeout,
        // `name(arguments)` allows the tool only with these arguments. Our rules cannot express that, so the tool is
        // allowed with any arguments.
        allow: common.allow?.map((name) => name.replace(/\(.*$/s, '')),
      }
    },
  },
  dialect: () => dollarDialect,
  writer: jsonWriter('mcpServers'),
})

/** Decides which servers are disabled. A list that cannot be read disables all servers. */
function serverLists(
  document: DocumentRecord,
  location: ConfigLocation,
): Pick<DocumentPlan, 'isDisabled' | 'problems'> {
  const { mcp = {} } = document
  const inMcp: ConfigLocation = { ...location, path: ['mcp'] }
  if (!isRecord(mcp)) {
    const problem = problemAt(inMcp, { expected: 'an object', found: shapeOf(mcp) })
    return { isDisabled: () => true, problems: [problem] }
  }
  const allowed = [readNames(mcp, 'allowed', inMcp), readNames(document, 'allowMCPServers', location)]
  const excluded = [readNames(mcp, 'excluded', inMcp), readNames(document, 'excludeMCPServers', location)]
  const problems = [...allowed, ...excluded].flatMap((list) => list.problems)
  return {
    isDisabled: (name) =>
      problems.length > 0 ||
      allowed.some(({ names }) => names !== undefined && !names.includes(name)) ||
      excluded.some(({ names }) => names?.includes(name) === true),
    problems,
  }
}
