// The secrets of all servers of a gateway, which are removed from texts for people.

import type { Connection } from '../config/server-config.ts'
import { inheritedSecrets } from '../sources/upstream/environment.ts'
import { createRedactor, type Redactor } from '../sources/upstream/redactor.ts'
import { secretsOf } from '../sources/upstream/secrets.ts'

export interface KnownSecrets {
  /** Adds the values that `ready` has in place of the references of `connection`. */
  addConnection(connection: Connection, ready: Connection): void
  addTokens(tokens: readonly string[]): void
  /** Removes all known secrets: values of references, inherited secrets and login tokens. */
  redact(text: string): string
}

/** Only this many login tokens are redacted, the newest ones. Older ones have most likely been renewed. */
const MAX_TOKENS = 256

/** `env` are the variables of this process, which servers inherit. */
export function createKnownSecrets(env: Readonly<Record<string, string | undefined>>): KnownSecrets {
  const secrets = new Set(inheritedSecrets(env))
  let loginTokens: readonly string[] = []
  /** Undefined after a secret was added. */
  let redactor: Redactor | undefined
  return {
    addConnection(connection, ready) {
      for (const secret of secretsOf(connection, ready)) secrets.add(secret)
      redactor = undefined
    },
    addTokens(tokens) {
      loginTokens = [...loginTokens, ...tokens].slice(-MAX_TOKENS)
      redactor = undefined
    },
    redact(text) {
      redactor ??= createRedactor([...secrets, ...loginTokens])
      return redactor.text(text)
    },
  }
}
