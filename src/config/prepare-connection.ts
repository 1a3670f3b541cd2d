// Prepares a connection for its start: replaces the references and reads the env file.

import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { decodeText, messageOf, quoteList } from '../core/text.ts'
import { mergeVariables } from '../core/variables.ts'
import { sha256Of } from './approval.ts'
import { resolveConnection } from './connection-kinds.ts'
import { refuseLoaderVariables } from './loader-variables.ts'
import type { Variables } from './references.ts'
import { type Connection, programIn } from './server-config.ts'

/** The user must set these variables. A retry does not help. */
export class UnsetVariables extends Error {
  override readonly name = 'UnsetVariables'
  readonly missing: readonly string[]

  constructor(missing: readonly string[]) {
    super(describeMissing(missing))
    this.missing = missing
  }
}

/** Rejects with a readable message if a variable is not set or not allowed, or if the env file cannot be read. */
export async function prepareConnection(connection: Connection, variables: Variables): Promise<Connection> {
  const resolved = resolveConnection(connection, variables)
  if (!resolved.ok) throw new UnsetVariables(resolved.missing)
  const program = programIn(resolved.connection)
  if (program === undefined) return resolved.connection
  const { env: own, envFile, envFileSha256, allowEnv } = program
  const env = envFile === undefined ? own : mergeVariables([await readEnvFile(envFile, envFileSha256), own])
  refuseLoaderVariables({ env, ...(allowEnv === undefined ? {} : { allowEnv }) })
  return { ...program, env }
}

async function readEnvFile(file: string, sha256: string | undefined): Promise<Readonly<Record<string, string>>> {
  let text: string
  try {
    text = decodeText(await readFile(file))
  } catch (error) {
    throw new Error(`its env file cannot be read: ${messageOf(error)}`)
  }
  if (sha256 !== undefined && sha256Of(text) !== sha256) {
    throw new Error('its env file has changed since it was approved; run `toolcrib trust` to look at it and approve it')
  }
  const parsed = Object.entries(parseEnv(text))
  return Object.fromEntries(parsed.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))
}

function describeMissing(missing: readonly string[]): string {
  const [first = ''] = missing
  const [which, them] =
    missing.length === 1 ? [`variable ${quoteList(missing)} is`, 'it'] : [`variables ${quoteList(missing)} are`, 'them']
  return `the ${which} not set; set ${them} before starting, or give a default as in \${${first}:-value}`
}
