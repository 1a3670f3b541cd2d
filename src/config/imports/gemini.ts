// Gemini CLI: settings.json in ~/.gemini and in a project's .gemini.

import { z } from 'zod'
import { dollarDialect } from '../dialect.ts'
import { ignoredKeys } from '../entries.ts'
import { pathOn } from '../paths.ts'
import { isRecord, type Place, problemAt, shapeOf } from '../problem.ts'
import { jsonWriter } from './client-writer.ts'
import { type DocumentPlan, type DocumentRecord, defineImporter, sectionOf } from './importer.ts'
import { commonFields, commonShape } from './mcp-servers.ts'
import { readNames } from './names.ts'

export const gemini = defineImporter({
  name: 'gemini',
  paths({ home, cwd, platform }) {
    const { join } = pathOn(platform)
    return [
      { path: join(home, '.gemini', 'settings.json'), scope: 'user' },
      { path: join(cwd, '.gemini', 'settings.json'), scope: 'project' },
    ]
  },
  plan: (document, _, place) => ({ sections: sectionOf(document, 'mcpServers'), ...serverLists(document, place) }),
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
        // Of several, Gemini takes them in this order; a `url` without a type is the older transport.
        ...(httpUrl === undefined ? {} : { type: 'http', url: httpUrl, keys: { url: ['httpUrl'] } }),
        ...(httpUrl === undefined && url !== undefined ? { type: type ?? 'sse' } : {}),
        timeoutMs: timeout,
        // `name(arguments)` allows the tool for those arguments; there is no such rule here, so it allows the tool.
        allow: common.allow?.map((name) => name.replace(/\(.*$/s, '')),
      }
    },
  },
  dialect: () => dollarDialect,
  writer: jsonWriter('mcpServers'),
})

/** Which servers may be used at all; a list that cannot be read allows none. */
function serverLists(document: DocumentRecord, place: Place): Pick<DocumentPlan, 'isDisabled' | 'problems'> {
  const { mcp = {} } = document
  if (!isRecord(mcp)) {
    const problem = problemAt({ ...place, path: ['mcp'] }, { expected: 'an object', found: shapeOf(mcp) })
    return { isDisabled: () => true, problems: [problem] }
  }
  const inMcp: Place = { ...place, path: ['mcp'] }
  const allowed = [readNames(mcp, 'allowed', inMcp), readNames(document, 'allowMCPServers', place)]
  const excluded = [readNames(mcp, 'excluded', inMcp), readNames(document, 'excludeMCPServers', place)]
  const problems = [...allowed, ...excluded].flatMap((list) => list.problems)
  return {
    isDisabled: (name) =>
      problems.length > 0 ||
      allowed.some(({ names }) => names !== undefined && !names.includes(name)) ||
      excluded.some(({ names }) => names?.includes(name) === true),
    problems,
  }
}
