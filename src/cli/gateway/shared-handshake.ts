// Writes and reads the first lines on the control socket between a shared gateway and the relay process of a client.

import { createHmac, randomBytes } from 'node:crypto'
import { referencedNames } from '../../config/connection-kinds.ts'
import type { LoadedConfig } from '../../config/load/load.ts'
import { namesInPeople } from '../../config/people.ts'
import { isRecord } from '../../core/is-record.ts'
import { parseJson } from '../../core/json.ts'
import { readVariable } from '../../core/variables.ts'

/** The reply of a shared gateway to a client that joins. */
interface JoinReply {
  readonly joined: true
  readonly salt: string
  /** The variables that the configuration refers to, with a hash of the value that the gateway uses. */
  readonly variables: Readonly<Record<string, string>>
}

const JOIN = /^join ([\w.@-]{1,64})$/

export function joinRequest(client: string): string {
  return `join ${client}\n`
}

export function isClientName(name: string): boolean {
  return JOIN.test(`join ${name}`)
}

/** The name of the client in a request to join. Undefined for any other request. */
export function readJoin(line: string): string | undefined {
  return JOIN.exec(line.trim())?.[1]
}

/** Sends hashes instead of values, because a variable may contain a secret. */
export function joinReply({ loaded }: { readonly loaded: LoadedConfig }): JoinReply {
  const salt = randomBytes(16).toString('hex')
  const ofServers = loaded.servers.flatMap(({ connection }) => referencedNames(connection))
  const names = new Set([...ofServers, ...namesInPeople(loaded.config.people)])
  const variables = [...names].map((name) => [name, hash(readVariable(loaded.variables, name), salt)])
  return { joined: true, salt, variables: Object.fromEntries(variables) }
}

export function readJoinReply(line: string): JoinReply | undefined {
  const reply = parseJson(line)
  if (!isRecord(reply) || reply.joined !== true || typeof reply.salt !== 'string') return undefined
  const { salt, variables } = reply
  const texts = Object.entries(isRecord(variables) ? variables : {}).map(([name, value]) => [name, String(value)])
  return { joined: true, salt, variables: Object.fromEntries(texts) }
}

/** The variables that have another value in this process. A variable that is not set here is not compared. */
export function differingVariables(
  { salt, variables }: JoinReply,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.entries(variables).flatMap(([name, expected]) => {
    const own = readVariable(env, name)
    return own === undefined || hash(own, salt) === expected ? [] : [name]
  })
}

function hash(value: string | undefined, salt: string): string {
  return value === undefined ? '' : createHmac('sha256', salt).update(value).digest('hex')
}
