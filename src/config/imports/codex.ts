// Imports the servers of Codex from config.toml.

import { z } from 'zod'
import { ownDialect } from '../dialect.ts'
import { ignoredKeys, textRecord, texts } from '../entries.ts'
import { pathOn } from '../paths.ts'
import { renderTemplate } from '../references.ts'
import { defineImporter, plainEntry, sectionOf } from './importer.ts'

const variableName = z.string().regex(/^[A-Za-z_]\w*$/, 'the name of a variable')
const namedVariable = z.union([variableName, z.looseObject({ name: variableName }).transform(({ name }) => name)])

// Settings such as `env_vars` contain the names of variables. Other texts are literal: Codex has no references such as
// `${NAME}`.
const schema = z.strictObject({
  command: z.string().optional(),
  args: texts.optional(),
  env: textRecord.optional(),
  env_vars: z.array(namedVariable).optional(),
  cwd: z.string().optional(),
  url: z.string().optional(),
  bearer_token_env_var: variableName.optional(),
  http_headers: textRecord.optional(),
  env_http_headers: z.record(z.string(), variableName).optional(),
  enabled: z.boolean().optional(),
  enabled_tools: texts.optional(),
  disabled_tools: texts.optional(),
  tool_timeout_sec: z.number().positive().optional(),
  ...ignoredKeys('startup_timeout_sec', 'startup_timeout_ms', 'required', 'scopes', 'oauth', 'oauth_resource', 'tools'),
  ...ignoredKeys('default_tools_approval_mode', 'supports_parallel_tool_calls', 'experimental_environment', 'name'),
})

export const codex = defineImporter({
  name: 'codex',
  paths({ home, cwd, platform, env }) {
    const { join } = pathOn(platform)
    return [
      { path: join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'), scope: 'user' },
      { path: join(cwd, '.codex', 'config.toml'), scope: 'project' },
    ]
  },
  format: 'toml',
  plan: (document) => ({ sections: sectionOf(document, 'mcp_servers') }),
  entry: {
    schema,
    fields(entry) {
      const { command, cwd, url, env_vars = [], env_http_headers = {}, bearer_token_env_var: bearer } = entry
      return {
        command: command && escapeText(command),
        args: entry.args?.map(escapeText),
        env: {
          ...escapeValues(entry.env),
          // Codex ignores a variable that is not set. Here it becomes an empty text instead of an error.
          ...Object.fromEntries(env_vars.map((name) => [name, renderTemplate([{ name, fallback: '' }])])),
        },
        cwd: cwd && escapeText(cwd),
        url: url && escapeText(url),
        headers: {
          ...escapeValues(entry.http_headers),
          ...Object.fromEntries(
            Object.entries(env_http_headers).map(([key, name]) => [key, renderTemplate([{ name }])]),
          ),
          ...(bearer === undefined ? {} : { Authorization: renderTemplate(['Bearer ', { name: bearer }]) }),
        },
        enabled: entry.enabled,
        timeoutMs: entry.tool_timeout_sec === undefined ? undefined : entry.tool_timeout_sec * 1_000,
        allow: entry.enabled_tools,
        deny: entry.disabled_tools,
      }
    },
  },
  // The file itself contains no references. The references built from variable names use our own dialect.
  dialect: () => ownDialect,
  writer: { format: 'toml', sections: () => [['mcp_servers']], entry: plainEntry },
})

/** Codex has no references in texts, so a text that looks like one of ours is escaped. */
function escapeText(text: string): string {
  return renderTemplate([text])
}

function escapeValues(record: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, text]) => [key, escapeText(text)]))
}
