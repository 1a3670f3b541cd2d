// Secrets that stand in a configuration as they are: found, and turned into `${VAR}` references.

import { isSecret, isToken } from './is-secret.ts'
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

/** A variable as some client writes it: it stands for a secret, and is none. */
const CLIENT_REFERENCE = /^(?:\w+ )?\$?\{(?:env|input):[^{}]+\}$/

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

/**
 * The same connection with stars in place of secrets, for showing. `isHidden`: which of them; left out: all. `isBare`: a
 * whole argument that is taken for a secret only because it looks like a token.
 */
export function maskSecrets(
  connection: Connection,
  isHidden: (value: string, isBare: boolean) => boolean = () => true,
): Connection {
  return mapSecrets(
    connection,
    (_, value, { before = '', after = '', isBare = false }) =>
      `${before}${isHidden(value, isBare) ? '***' : value}${after}`,
  )
}

/** Every value of a document, whatever it is about, that looks like a secret. */
export function secretsIn(document: unknown): readonly string[] {
  const found: string[] = []
  const collect: Change = (_, value) => {
    if (!CLIENT_REFERENCE.test(value)) found.push(value)
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
      mapNamed(key, value, collect)
    }
  }
  visit(document, '')
  return found
}

interface Around {
  readonly before?: string
  readonly after?: string
  readonly isBare?: boolean
}
type Change = (wantedName: string, value: string, around: Around) => string

function mapSecrets(connection: Connection, change: Change): Connection {
  const named = (name: string, value: string) => mapNamed(name, value, change)
  if (connection.type !== 'stdio') {
    const headers = mapRecord(connection.headers, (name, value) => mapHeader(name, value, change))
    return { ...connection, url: mapText(connection.url, change), headers }
  }
  return { ...connection, env: mapRecord(connection.env, named), args: mapArgs(connection.args, change) }
}

function mapArgs(args: readonly string[], change: Change): string[] {
  return args.map((arg, at) => {
    const before = args[at - 1] ?? ''
    const name = before.replace(/^-+/, '')
    const isValue = FLAG.test(before) && !isFlag(arg) && isSecret(name, arg)
    return isValue ? change(variableName(before), arg, { isBare: !isSecret(name, ANY_VALUE) }) : mapWord(arg, change)
  })
}

const FLAG = /^--?[\w-]+$/
/** Neither looks like a token nor looks harmless, so that only the name decides. */
const ANY_VALUE = 'value'

/** A value may begin with a dash too; what is longer than `-abc` is rather that. */
function isFlag(arg: string): boolean {
  return /^--[a-z]/i.test(arg) || /^-[\s\S]{0,3}$/.test(arg)
}

/** `--api-key=x`, `API_KEY=x`, `--env=API_KEY=x`, `X-Api-Key: x`, and words that are tokens by themselves. */
function mapWord(word: string, change: Change): string {
  const [, sign = '', value] = /^(-{0,2}[a-z_][\w.-]*=)([\s\S]+)$/i.exec(word) ?? []
  if (value !== undefined) {
    const name = sign.replace(/^-+|=$/g, '')
    if (isSecret(name, value)) return change(variableName(name), value, { before: sign })
    return sign.startsWith('-') ? `${sign}${mapWord(value, change)}` : mapText(word, change)
  }
  const [, start = '', header = '', rest] = HEADER.exec(word) ?? []
  if (rest !== undefined && isSecret(header, rest)) return `${start}${mapHeader(header, rest, change)}`
  return isToken(word) ? change('TOKEN', word, { isBare: true }) : mapText(word, change)
}

/** Without a space after the colon only what can be no image with a tag, such as `auth:latest`. */
const HEADER = /^((?=[\w-]+:\s|x-|[\w-]*(?:authorization|cookie|key|token|secret|password):)([\w-]+):\s*)(\S[\s\S]*)$/i

function mapNamed(name: string, value: string, change: Change): string {
  return isSecret(name, value) ? change(variableName(name), value, {}) : mapText(value, change)
}

function mapHeader(name: string, value: string, change: Change): string {
  if (!isSecret(name, value)) return mapText(value, change)
  const [, scheme = '', rest = value] = /^(Bearer |Basic |Token )([\s\S]*)$/i.exec(value) ?? []
  return change(variableName(name), rest, { before: scheme })
}

interface Place {
  /** What stands before the value, its name within that, the value, and what stands behind it. */
  readonly pattern: RegExp
  /** Where it has no name of its own. */
  readonly wanted?: string
  /** No other thing stands in such a place. */
  readonly isCertain?: true
}

const IN_TEXT: readonly Place[] = [
  { pattern: /(\bBearer +())([\w.~+/=-]{8,})()/gi, wanted: 'TOKEN', isCertain: true },
  // The query of an address; its values may hold all that those of the next one end at.
  { pattern: /([?&]([\w-]+)=)([^&#]+)()/g },
  // `Server=a;Password=b`, `host=a password='b'`, and what a shell is told.
  { pattern: /((?<![^\s;])([\w-]+)=)('[^']*'|"[^"]*"|[^;\s]+)()/g },
  // A password in an address may hold an `@`, and whatever else should have been escaped; a port is none.
  {
    pattern: /((?<![a-z\d+.-])[a-z][a-z\d+.-]*:\/\/[^/:@\s]*():)((?!\d{1,5}[?#])(?:[^/?#\s]+|[^/\s]+))(@)/gi,
    wanted: 'PASSWORD',
    isCertain: true,
  },
  { pattern: /(:\/\/())([^/:@\s]+)(@)/g, wanted: 'TOKEN' },
]

/** Secrets inside of a longer text. */
function mapText(text: string, change: Change): string {
  return IN_TEXT.reduce(
    (rest, { pattern, wanted, isCertain = false }) =>
      rest.replace(pattern, (whole, before: string, name: string, value: string, after: string) => {
        const isFound = isCertain ? !hasReferences(value) : isSecret(name, value)
        return isFound ? `${before}${change(wanted ?? variableName(name), value, {})}${after}` : whole
      }),
    text,
  )
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
