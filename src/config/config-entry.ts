// Reads a server of our own config, in the `connection` form or in the flat form that clients use.

import { z } from 'zod'
import { defined } from '../core/defined.ts'
import { MAX_TIMER_MS } from '../core/waiting.ts'
import { type EntryFormat, ignoredKeys, readEntries, readEntry, textRecord, texts } from './entries.ts'
import { inside, type Severity } from './problem.ts'
import { type EntryLocation, type ImportResult, joinResults } from './server-entry.ts'
import { inBoth } from './tool-lists.ts'

/** Names of variables, without globs. */
export const variableNames = z.array(z.string().regex(/^[^=\s*?]+$/, 'the name of a variable'))

/** True, false, or names and globs such as `AWS_*`. */
export const inheritEnvSchema = z.union([
  z.boolean(),
  z.array(z.string().regex(/^[^=\s]+$/, "the name of a variable, or a glob such as 'AWS_*'")),
])

/** How to log in to a server over HTTP. */
const authSchema = z.strictObject({
  grant: z.enum(['authorization_code', 'client_credentials']).optional(),
  clientId: z.string().min(1).optional(),
  clientSecret: z.string().min(1).optional(),
  clientMetadataUrl: z.string().min(1).optional(),
  scopes: z.array(z.string().min(1)).optional(),
  issuer: z.string().min(1).optional(),
  redirectPort: z.number().int().min(1).max(65_535).optional(),
})

const connectionShape = {
  type: z.string().optional(),
  command: z.string().optional(),
  args: texts.optional(),
  env: textRecord.optional(),
  envFile: z.string().optional(),
  cwd: z.string().optional(),
  inheritEnv: inheritEnvSchema.optional(),
  allowEnv: variableNames.optional(),
  url: z.string().optional(),
  headers: textRecord.optional(),
  auth: authSchema.optional(),
}

const declaredTool = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()).optional(),
})

export const serverSchema = z
  .strictObject({
    /** The name if `servers` is a list. If `servers` is an object, the key is the name, and this is the default title. */
    name: z.string().min(1).optional(),
    title: z.string().optional(),
    description: z.string().optional(),
    connection: z.strictObject(connectionShape).optional(),
    enabled: z.boolean().optional(),
    timeoutMs: z.number().positive().optional(),
    idleMs: z.number().min(0).max(MAX_TIMER_MS).optional(),
    tools: z.array(declaredTool).optional(),
    /**
     * Lets the server request that the model of the client sees the context of other servers (`includeContext` of
     * sampling).
     */
    includeContext: z.boolean().optional(),
    /** True: each person has a process or connection, variables and a login of their own. */
    perPrincipal: z.boolean().optional(),
    ...connectionShape,
    serverUrl: z.string().optional(),
    httpUrl: z.string().optional(),
    disabled: z.boolean().optional(),
    enabledTools: texts.optional(),
    includeTools: texts.optional(),
    disabledTools: texts.optional(),
    excludeTools: texts.optional(),
    ...ignoredKeys('alwaysAllow', 'autoApprove', 'trust'),
  })
  .refine(
    (entry) =>
      entry.connection === undefined || Object.keys(connectionShape).every((key) => !Object.hasOwn(entry, key)),
    { error: "either 'connection' or its keys beside it", params: { found: 'both' } },
  )

/** An MCP server in a config: how to start or reach it. */
export type ServerInput = z.input<typeof serverSchema>

/** Reads `servers` from a list, or from an object with one entry per server. */
export function readServers(servers: unknown, location: EntryLocation, unknownKeys: Severity): ImportResult {
  const format = { ...configFormat, unknownKeys }
  if (!Array.isArray(servers)) return readEntries(servers, format, location)
  return joinResults(servers.map((entry, index) => readEntry(entry, undefined, format, inside(location, index))))
}

const configFormat: EntryFormat<typeof serverSchema> = {
  schema: serverSchema,
  unknownKeys: 'error',
  // A pasted `disabled_tools` must work despite its underscore.
  anySpelling: true,
  fields(entry, key) {
    const { name, title, connection } = entry
    const { url, auth } = connection ?? entry
    return {
      ...entry,
      ...connection,
      ...(key === undefined ? { name, title } : { name: key, title: title ?? name }),
      keys: connection === undefined ? {} : CONNECTION_KEYS,
      url: url ?? entry.serverUrl ?? entry.httpUrl,
      // Leaves out the keys without a value, which zod declares as possibly undefined.
      auth: auth && defined(auth),
      enabled: entry.enabled !== false && entry.disabled !== true,
      tools: entry.tools?.map(defined),
      allow: inBoth(entry.enabledTools, entry.includeTools),
      deny: [...(entry.disabledTools ?? []), ...(entry.excludeTools ?? [])],
    }
  },
}

const CONNECTION_KEYS = Object.fromEntries(Object.keys(connectionShape).map((key) => [key, ['connection', key]]))
