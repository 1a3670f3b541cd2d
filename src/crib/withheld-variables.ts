// The variables that a server does not inherit: secrets, tokens of clients, and those that only other servers refer to.

import { referencedNames } from '../config/connection-kinds.ts'
import { parseTemplate } from '../config/references.ts'
import type { ServerConfig } from '../config/server-config.ts'

/** Returns the names that this server does not inherit. */
export type Withheld = (server: string) => readonly string[]

interface OwnSecrets {
  /** The names in `secrets.env` and in `people` of the configuration. */
  readonly secretNames: readonly string[]
  /** The tokens of clients as written in the configuration. */
  readonly tokens: readonly string[]
}

/** Settings of the machine. If a server refers to one of them, the other servers still inherit it. */
const SHARED =
  /^(?:(?:https?|all|no|ftp)_proxy|ssl_cert_(?:file|dir)|node_extra_ca_certs|(?:requests|curl)_ca_bundle)$/i

/** `servers` includes disabled servers, because their variables are secrets too. */
export function withheldVariables(servers: readonly ServerConfig[], { secretNames, tokens }: OwnSecrets): Withheld {
  const always = [...secretNames, ...tokens.flatMap(namesIn)]
  const references = servers.map(({ name, connection }) => ({
    name,
    names: referencedNames(connection).map(normalizeCase),
  }))
  return (server) => {
    const own = new Set(references.filter(({ name }) => name === server).flatMap(({ names }) => names))
    const others = references.flatMap(({ names }) => names).filter((name) => !own.has(name) && !SHARED.test(name))
    return [...always, ...others]
  }
}

function namesIn(text: string): readonly string[] {
  return parseTemplate(text).flatMap((part) => (typeof part === 'string' ? [] : [part.name]))
}

/** On Windows `${github_token}` refers to `GITHUB_TOKEN`. */
function normalizeCase(name: string): string {
  return process.platform === 'win32' ? name.toUpperCase() : name
}
