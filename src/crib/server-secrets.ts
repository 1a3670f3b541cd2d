// The secrets of servers: those that are removed from texts, and the variables that a server does not inherit.

import { referencedNames } from '../config/connection-kinds.ts'
import { namesIn } from '../config/references.ts'
import type { Connection, ServerConfig } from '../config/server-config.ts'
import { inheritedSecrets } from '../sources/upstream/environment.ts'
import { createRedactor, type Redactor } from '../sources/upstream/redactor.ts'
import { secretsOf } from '../sources/upstream/secrets.ts'

export type KnownSecrets = ReturnType<typeof createKnownSecrets>

/** Only this many login tokens are redacted, the newest ones. Older ones have most likely been renewed. */
const MAX_TOKENS = 256

/** `env` are the variables of this process, which servers can inherit. */
export function createKnownSecrets(env: Readonly<Record<string, string | undefined>>) {
  const secrets = new Set(inheritedSecrets(env))
  let loginTokens: readonly string[] = []
  /** Undefined if a secret was added since the last `redact`. */
  let redactor: Redactor | undefined
  return {
    /** Adds the secrets of a connection. `ready` is the same connection with the values of its references. */
    addConnection(connection: Connection, ready: Connection): void {
      for (const secret of secretsOf(connection, ready)) secrets.add(secret)
      redactor = undefined
    },
    addTokens(tokens: readonly string[]): void {
      loginTokens = [...loginTokens, ...tokens].slice(-MAX_TOKENS)
      redactor = undefined
    },
    /** Removes all known secrets: those of connections, of the variables of this process, and login tokens. */
    redact(text: string): string {
      redactor ??= createRedactor([...secrets, ...loginTokens])
      return redactor.text(text)
    },
  }
}

/**
 * Returns the names of the variables that a server does not inherit: secrets, tokens of clients, and variables to which
 * only other servers refer.
 */
export type Withheld = (server: string) => readonly string[]

interface GatewaySecrets {
  /** The names in `secrets.env` and in `people` of the configuration. */
  readonly secretNames: readonly string[]
  /** The tokens of clients as written in the configuration. */
  readonly tokens: readonly string[]
}

/** Settings of the machine. If a server refers to one of them, the other servers still inherit it. */
const SHARED =
  /^(?:(?:https?|all|no|ftp)_proxy|ssl_cert_(?:file|dir)|node_extra_ca_certs|(?:requests|curl)_ca_bundle)$/i

/** `servers` includes disabled servers, because their variables are secrets too. */
export function withheldVariables(servers: readonly ServerConfig[], { secretNames, tokens }: GatewaySecrets): Withheld {
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

/** On Windows `${github_token}` refers to `GITHUB_TOKEN`. */
function normalizeCase(name: string): string {
  return process.platform === 'win32' ? name.toUpperCase() : name
}
