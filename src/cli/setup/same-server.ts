// Whether a server of our config is the one that a client has.

import { parseTemplate, referencedNames } from '../../config/references.ts'
import type { Connection, ServerConfig } from '../../config/server-config.ts'
import { extractSecrets } from '../../config/write-secrets.ts'

/** The same program or address; a secret may have become a reference meanwhile, under whichever name was free. */
export function isSameServer({ connection: one }: ServerConfig, server: ServerConfig): boolean {
  const { connection: other } = server
  const taken = new Map(referencedNames(other).map((name) => [name, undefined]))
  const { server: bare, secrets } = extractSecrets(server, taken)
  const stands = new Set(secrets.map(({ name }) => name))
  const isSame = (own: string, literal = '', extracted = '') =>
    own === literal || isSameTemplate(own, extracted, stands)
  const [own, literal, extracted] = [wordsOf(one), wordsOf(other), wordsOf(bare.connection)]
  return own.length === literal.length && own.every((word, at) => isSame(word, literal[at], extracted[at]))
}

function wordsOf(connection: Connection): readonly string[] {
  return connection.type === 'stdio' ? ['stdio', connection.command, ...connection.args] : ['http', connection.url]
}

/** `stands`: references of the second that stand for a secret; any reference may do so in the first. */
function isSameTemplate(first: string, second: string, stands: ReadonlySet<string>): boolean {
  const [ones, others] = [parseTemplate(first), parseTemplate(second)]
  return (
    ones.length === others.length &&
    ones.every((one, at) => {
      const other = others[at]
      if (typeof one === 'string' || typeof other !== 'object') return one === other
      return one.name === other.name || stands.has(other.name)
    })
  )
}
