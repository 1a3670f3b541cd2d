// Secrets that stand in a configuration as they are: found, and turned into `${VAR}` references.

import { isRecord } from './problem.ts'
import { hasReferences, renderTemplate } from './references.ts'
import type { Connection, ServerConfig } from './server-config.ts'

/** A value that was taken out, and the variable that stands for it now. */
export interface ExtractedSecret {
  readonly name: string
  readonly value: string
  readonly server: string
}

export interface Extraction {
  readonly server: ServerConfig
  readonly secrets: readonly ExtractedSecret[]
}

const SECRET_NAME =
  /(?:^|[_\W-])(?:token|secret|password|passwd|pwd|pass|auth|authorization|credentials?|cookie|session|pat|dsn|bearer)(?:$|[_\W-])|(?:api|access|private|secret|service|signing|encryption|auth|account)[_-]?key|apikey|(?:^|[_-])key$|(?:database|db|mongo|redis|postgres|mysql|amqp)[_-]?(?:url|uri)|connection[_-]?string/i
/** Tokens that say themselves what they are. */
const SECRET_VALUE =
  /^(?:gh[pousr]_|github_pat_|glpat-|sk-|sk_|rk_|pk_live|xox[abpr]-|AKIA|ASIA|AIza|ya29\.|eyJ[\w-]+\.|npm_|hf_|lin_api_|secret_|ntn_|pat-|shpat_|dop_v1_|SG\.)/
/** A variable as some client writes it: it stands for a secret, and is none. */
const CLIENT_REFERENCE = /^(?:\w+ )?\$?\{(?:env|input):[^{}]+\}$/
const HARMLESS = /^(?:true|false|yes|no|on|off|none|null|\d{1,6}|)$/i

/** `taken`: variables that mean something already, with their value where it is known. */
export function extractSecrets(server: ServerConfig, taken: Map<string, string | undefined>): Extraction {
  const secrets: ExtractedSecret[] = []
  const refer = (wanted: string, value: string): string => {
    const name = freeName(wanted, value, server.name, taken)
    taken.set(name, value)
    secrets.push({ name, value, server: server.name })
    return name
  }
  const connection = mapSecrets(server.connection, (wanted, value, around) => {
    const reference = { name: refer(wanted, value) }
    const { before = '', after = '' } = around
    return renderTemplate([before, reference, after].filter((part) => part !== ''))
  })
  return { server: { ...server, connection }, secrets }
}

/** The same connection with stars in place of secrets, for showing. */
export function maskSecrets(connection: Connection): Connection {
  return mapSecrets(connection, (_, __, { before = '', after = '' }) => `${before}***${after}`)
}

/** Every value of a document, whatever it is about, that looks like a secret. */
export function secretsIn(document: unknown): readonly string[] {
  const found: string[] = []
  const collect: Change = (_, value) => {
    found.push(value)
    return value
  }
  const visit = (value: unknown, key: string): void => {
    if (Array.isArray(value)) {
      mapArgs(
        value.filter((one) => typeof one === 'string'),
        collect,
      )
      for (const one of value) if (typeof one === 'object') visit(one, key)
    } else if (isRecord(value)) {
      for (const [name, one] of Object.entries(value)) visit(one, name)
    } else if (typeof value === 'string') {
      if (CLIENT_REFERENCE.test(value)) return
      if (isSecret(key, value)) found.push(value)
      else mapUrl(value, collect)
    }
  }
  visit(document, '')
  return found
}

interface Around {
  readonly before?: string
  readonly after?: string
}
type Change = (wantedName: string, value: string, around: Around) => string

function mapSecrets(connection: Connection, change: Change): Connection {
  if (connection.type !== 'stdio') {
    const headers = mapRecord(connection.headers, (name, value) => {
      if (!isSecret(name, value)) return value
      const [, scheme = '', rest = value] = /^(Bearer |Basic |Token )([\s\S]*)$/i.exec(value) ?? []
      return change(variableName(name), rest, { before: scheme })
    })
    return { ...connection, url: mapUrl(connection.url, change), headers }
  }
  const env = mapRecord(connection.env, (name, value) =>
    isSecret(name, value) ? change(variableName(name), value, {}) : value,
  )
  return { ...connection, env, args: mapArgs(connection.args, change) }
}

/** `--api-key=x`, `--api-key x`, and words that are tokens by themselves. */
function mapArgs(args: readonly string[], change: Change): string[] {
  return args.map((arg, at) => {
    const [, flag = '', value] = /^(--?[\w-]+=)([\s\S]+)$/.exec(arg) ?? []
    if (value !== undefined) {
      const name = flag.replace(/^-+|=$/g, '')
      return isSecret(name, value) ? change(variableName(name), value, { before: flag }) : arg
    }
    const before = args[at - 1] ?? ''
    if (!arg.startsWith('-') && /^--?[\w-]+$/.test(before) && isSecret(before.replace(/^-+/, ''), arg)) {
      return change(variableName(before), arg, {})
    }
    if (SECRET_VALUE.test(arg) && arg.length >= 16 && !hasReferences(arg)) return change('TOKEN', arg, {})
    return /^https?:\/\//i.test(arg) ? mapUrl(arg, change) : arg
  })
}

/** A password in an address, and what its query calls a key or a token. */
function mapUrl(url: string, change: Change): string {
  const withQuery = url.replace(/([?&])([\w-]+)=([^&#]+)/g, (whole, sign: string, name: string, value: string) =>
    isSecret(name, value) ? `${sign}${name}=${change(variableName(name), value, {})}` : whole,
  )
  return withQuery.replace(
    /^([a-z+]+:\/\/[^/:@\s]*:)([^@/\s]+)(@)/i,
    (whole, before: string, value: string, after: string) =>
      hasReferences(value) ? whole : `${before}${change('PASSWORD', value, {})}${after}`,
  )
}

function isSecret(name: string, value: string): boolean {
  if (hasReferences(value) || HARMLESS.test(value)) return false
  if (SECRET_VALUE.test(value) && value.length >= 16) return true
  // `GITHUB_TOKEN_FILE` names a file.
  if (/(?:file|path|dir|name|host|user(?:name)?|type|mode)$/i.test(name)) return false
  return SECRET_NAME.test(name)
}

function variableName(name: string): string {
  const upper = name.replace(/^-+/, '').replace(/\W+/g, '_').toUpperCase()
  return /^[A-Z_]/.test(upper) ? upper : `_${upper}`
}

/** The name itself where it is free or means the same; else with the server in front, then with a number behind. */
function freeName(
  wanted: string,
  value: string,
  server: string,
  taken: ReadonlyMap<string, string | undefined>,
): string {
  const isGeneric = /^(?:AUTHORIZATION|TOKEN|KEY|API_KEY|PASSWORD|SECRET|COOKIE)$/.test(wanted)
  const long = `${variableName(server)}_${wanted}`
  const candidates = [
    ...(isGeneric ? [] : [wanted]),
    long,
    ...Array.from({ length: 99 }, (_, at) => `${long}_${at + 2}`),
  ]
  return candidates.find((name) => !taken.has(name) || taken.get(name) === value) ?? long
}

function mapRecord(
  record: Readonly<Record<string, string>>,
  change: (key: string, value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(key, value)]))
}
