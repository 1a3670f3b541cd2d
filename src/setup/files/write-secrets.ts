// Finds secrets in a configuration, and replaces them with `${VAR}` references or, for printing, with stars.

import { mapTexts } from '../../config/connection-kinds.ts'
import { isSecret, isToken } from '../../config/is-secret.ts'
import { hasReferences, renderTemplate } from '../../config/references.ts'
import type { Connection, ServerConfig } from '../../config/server-config.ts'
import { isRecord } from '../../core/is-record.ts'

/** A value that was extracted, and the variable that replaces it. */
export interface ExtractedSecret {
  readonly name: string
  readonly value: string
  readonly server: string
}

interface Extraction {
  readonly server: ServerConfig
  readonly secrets: readonly ExtractedSecret[]
}

/** A variable in the notation of a client. It refers to a secret but is not one. */
const CLIENT_REFERENCE = /^(?:\w+ )?\$?\{(?:env|input):[^{}]+\}$/

/** `taken` contains the variables that are already in use, with their values if these are known. */
export function extractSecrets(server: ServerConfig, taken: Map<string, string | undefined>): Extraction {
  const secrets: ExtractedSecret[] = []
  const chooseVariable = (wanted: string, value: string): string => {
    const name = freeName(wanted, value, server.name, taken)
    taken.set(name, value)
    secrets.push({ name, value, server: server.name })
    return name
  }
  const connection = mapSecrets(server.connection, (wanted, value, around) => {
    const reference = { name: chooseVariable(wanted, value) }
    const { before = '', after = '' } = around
    return renderTemplate([before, reference, after].filter((part) => part !== ''))
  })
  return { server: { ...server, connection }, secrets }
}

/**
 * Replaces secrets with stars for printing. `isHidden` selects which secrets to hide, by default all. `isBare` marks a
 * whole argument that counts as a secret only because it looks like a token.
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

/** All values of a document that look like a secret. The document may have any structure. */
export function secretsIn(document: unknown): readonly string[] {
  const found: string[] = []
  const collect: ReplaceSecret = (_, value) => {
    if (!CLIENT_REFERENCE.test(value)) found.push(value)
    return value
  }
  const visit = (value: unknown, key: string): void => {
    if (Array.isArray(value)) {
      const args = value.filter((one) => typeof one === 'string')
      for (const [at, arg] of args.entries()) mapArg(arg, args[at - 1], collect)
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

/** The text that stays around a secret, such as `Bearer `. For `isBare` see `maskSecrets`. */
interface Around {
  readonly before?: string
  readonly after?: string
  readonly isBare?: boolean
}
type ReplaceSecret = (wantedName: string, value: string, around: Around) => string

/** Replaces the secrets of a connection. Values with a name come first, so that their variables get the best names. */
function mapSecrets(connection: Connection, change: ReplaceSecret): Connection {
  const named = mapTexts(connection, (text, { role, field }) => {
    const name = String(field.at(-1))
    if (role === 'header') return mapHeader(name, text, change)
    return role === 'value' ? mapNamed(name, text, change) : text
  })
  return mapTexts(named, (text, { role, before }) => {
    if (role === 'argument') return mapArg(text, before, change)
    return role === 'url' ? mapText(text, change) : text
  })
}

function mapArg(arg: string, before = '', change: ReplaceSecret): string {
  const name = before.replace(/^-+/, '')
  const isValue = FLAG.test(before) && !isFlag(arg) && isSecret(name, arg)
  return isValue ? change(variableName(before), arg, { isBare: !isSecret(name, ANY_VALUE) }) : mapWord(arg, change)
}

const FLAG = /^--?[\w-]+$/
/** A text that neither looks like a token nor is harmless. It counts as a secret only because of its name. */
const ANY_VALUE = 'value'

/** A value may start with a dash too: a text that starts with one dash and is longer than `-abc` counts as a value. */
function isFlag(arg: string): boolean {
  return /^--[a-z]/i.test(arg) || /^-[\s\S]{0,3}$/.test(arg)
}

/** Handles `--api-key=x`, `API_KEY=x`, `--env=API_KEY=x`, `X-Api-Key: x`, and words that are tokens. */
function mapWord(word: string, change: ReplaceSecret): string {
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

/** Without a space after the colon, accepts only names that cannot be an image with a tag, such as `auth:latest`. */
const HEADER = /^((?=[\w-]+:\s|x-|[\w-]*(?:authorization|cookie|key|token|secret|password):)([\w-]+):\s*)(\S[\s\S]*)$/i

function mapNamed(name: string, value: string, change: ReplaceSecret): string {
  return isSecret(name, value) ? change(variableName(name), value, {}) : mapText(value, change)
}

function mapHeader(name: string, value: string, change: ReplaceSecret): string {
  if (!isSecret(name, value)) return mapText(value, change)
  const [, scheme = '', rest = value] = /^(Bearer |Basic |Token )([\s\S]*)$/i.exec(value) ?? []
  return change(variableName(name), rest, { before: scheme })
}

interface SecretPattern {
  /** Four groups: the text before the value, the name inside of that text, the value, and the text after it. */
  readonly pattern: RegExp
  /** The name of the variable if the text contains no name. */
  readonly wanted?: string
  /** Whether this position can only contain a secret. */
  readonly isCertain?: true
}

const IN_TEXT: readonly SecretPattern[] = [
  { pattern: /(\bBearer +())([\w.~+/=-]{8,})()/gi, wanted: 'TOKEN', isCertain: true },
  // The query of an address. Its values may contain the characters that end a value in the next pattern.
  { pattern: /([?&]([\w-]+)=)([^&#]+)()/g },
  // `Server=a;Password=b`, `host=a password='b'`, and shell commands.
  { pattern: /((?<![^\s;])([\w-]+)=)('[^']*'|"[^"]*"|[^;\s]+)()/g },
  // A password in an address may contain an unescaped `@`. A port is not a password.
  {
    pattern: /((?<![a-z\d+.-])[a-z][a-z\d+.-]*:\/\/[^/:@\s]*():)((?!\d{1,5}[?#])(?:[^/?#\s]+|[^/\s]+))(@)/gi,
    wanted: 'PASSWORD',
    isCertain: true,
  },
  // A token in the place of the user name in an address.
  { pattern: /(:\/\/())([^/:@\s]+)(@)/g, wanted: 'TOKEN' },
]

/** Finds secrets inside of a longer text. */
function mapText(text: string, change: ReplaceSecret): string {
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

/**
 * The wanted name if it is not generic and is free or has the same value. Otherwise the name of the server is added
 * before it and, if necessary, a number after it.
 */
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
