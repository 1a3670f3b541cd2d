// A connection as it is started: references replaced, the env file read.

import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { decodeText, messageOf, quoteList } from '../core/text.ts'
import { mergeVariables } from '../core/variables.ts'
import { resolveConnection, type Variables } from './references.ts'
import type { Connection } from './server-config.ts'

/** Somebody has to set them; trying again does not. */
export class UnsetVariables extends Error {
  override readonly name = 'UnsetVariables'
  readonly missing: readonly string[]

  constructor(missing: readonly string[]) {
    super(describeMissing(missing))
    this.missing = missing
  }
}

/** Rejects with the variable that is not set, or the file that cannot be read, in words for a person. */
export async function prepareConnection(connection: Connection, variables: Variables): Promise<Connection> {
  const resolved = resolveConnection(connection, variables)
  if (!resolved.ok) throw new UnsetVariables(resolved.missing)
  const { connection: ready } = resolved
  if (ready.type !== 'stdio' || ready.envFile === undefined) return ready
  return { ...ready, env: mergeVariables([await readEnvFile(ready.envFile), ready.env]) }
}

async function readEnvFile(file: string): Promise<Readonly<Record<string, string>>> {
  try {
    const parsed = parseEnv(decodeText(await readFile(file)))
    return Object.fromEntries(
      Object.entries(parsed).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    )
  } catch (error) {
    throw new Error(`its env file cannot be read: ${messageOf(error)}`)
  }
}

function describeMissing(missing: readonly string[]): string {
  const [first = ''] = missing
  const [which, them] =
    missing.length === 1 ? [`variable ${quoteList(missing)} is`, 'it'] : [`variables ${quoteList(missing)} are`, 'them']
  return `the ${which} not set; set ${them} before starting, or give a default as in \${${first}:-value}`
}
