// The format that most clients share: `mcpServers` with `command, args, env` or `url, headers`.

import { z } from 'zod'
import { ignoredKeys, type NamedFields, textRecord, texts } from '../entries.ts'
import { inBoth } from '../tool-lists.ts'

/** The keys for the schema of a client. Keys that disable a server or a tool are accepted for every client. */
export const commonShape = {
  type: z.string().optional(),
  command: z.string().optional(),
  args: texts.optional(),
  env: textRecord.optional(),
  cwd: z.string().optional(),
  url: z.string().optional(),
  headers: textRecord.optional(),
  name: z.string().optional(),
  description: z.string().optional(),
  disabled: z.boolean().optional(),
  enabled: z.boolean().optional(),
  enabledTools: texts.optional(),
  includeTools: texts.optional(),
  disabledTools: texts.optional(),
  excludeTools: texts.optional(),
  ...ignoredKeys('alwaysAllow', 'autoApprove', 'oauth', 'auth', 'icon', 'icons', 'version'),
}

export const commonSchema = z.strictObject(commonShape)

export function commonFields(entry: z.output<typeof commonSchema>): NamedFields {
  const { type, command, args, env, cwd, url, headers, name, description } = entry
  const enabled = entry.enabled !== false && entry.disabled !== true
  const allow = inBoth(entry.enabledTools, entry.includeTools)
  const deny = [...(entry.disabledTools ?? []), ...(entry.excludeTools ?? [])]
  return { type, command, args, env, cwd, url, headers, title: name, description, enabled, allow, deny }
}

/** Applies the `tools` list of Copilot: the allowed tools, or `*` for all. */
export function withTools(fields: NamedFields, tools: readonly string[] | undefined): NamedFields {
  return tools?.includes('*') === true ? fields : { ...fields, allow: inBoth(fields.allow, tools) }
}
