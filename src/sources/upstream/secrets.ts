// Finds the secrets in the configuration of a server.

import { type FoundText, textsOf } from '../../config/connection-kinds.ts'
import { isFolderOfShell, isSecret, mayNameSecret, surelyNamesSecret } from '../../config/is-secret.ts'
import { namesIn } from '../../config/references.ts'
import type { Connection } from '../../config/server-config.ts'

const REFERENCE = /\$\{[^}]*\}/g
/** A shorter text can occur by chance. */
export const MIN_CHARS = 6

/**
 * The secrets of a connection: the values of references, the passwords in URLs, the values of flags that are named like
 * a secret, and the values of variables, headers and query parameters if the name suggests a secret or the value does
 * not look harmless.
 */
export function secretsOf(written: Connection, resolved: Connection): readonly string[] {
  return collect(
    written,
    resolved,
    (name, value, isReference) => isReference || mayNameSecret(name) || isSecret(name, value) || !looksHarmless(value),
  )
}

/** The secrets of a connection without the values that could be ordinary words of a description, such as a region. */
export function sureSecretsOf(written: Connection, resolved: Connection): readonly string[] {
  return collect(written, resolved, isSureSecret)
}

/** Whether the name or the form of a value makes it a secret. */
export function isSureSecret(name: string, value: string): boolean {
  return isSecret(name, value) && (surelyNamesSecret(name) || !looksHarmless(value))
}

function collect(
  written: Connection,
  resolved: Connection,
  isWanted: (name: string, value: string, isReference: boolean) => boolean,
): readonly string[] {
  const values = textsOf(resolved).filter(({ role }) => role !== 'setting')
  const resolvedAt = new Map(values.map(({ field, text }) => [keyOf(field), text]))
  const referenced = textsOf(written)
    .flatMap(({ field, text }) => referencesIn(text, resolvedAt.get(keyOf(field)) ?? text))
    .filter(([name, value]) => isWanted(name, value, true))
    .map(([, value]) => value)
  const isNamed = ({ role }: FoundText) => role === 'value' || role === 'header'
  const named = [...values.filter(isNamed), ...values.filter((value) => !isNamed(value))].flatMap(namedValues)
  // The part after the scheme, such as `abc` in `Bearer abc`, can occur without the scheme.
  const parts = named
    .filter(([name, value]) => !isFolderOfShell(name, value))
    .filter(([name, value]) => isWanted(name, value, false))
    .flatMap(([, value]) => [value, ...value.split(' ').slice(1), ...basicCredentials(value)])
  const inUrls = values.flatMap(({ text }) => credentialsIn(text))
  return [...new Set([...referenced, ...parts, ...inUrls])].filter((secret) => secret.length >= MIN_CHARS)
}

function keyOf(field: FoundText['field']): string {
  return JSON.stringify(field)
}

/** Names with their resolved values. */
type NamedValues = readonly (readonly [string, string])[]

function namedValues({ role, field, text, before }: FoundText): NamedValues {
  switch (role) {
    case 'value':
    case 'header':
      return [[String(field.at(-1)), text]]
    case 'argument':
      return flagValues(text, before)
    case 'url':
      return urlValues(text)
    default:
      return []
  }
}

function urlValues(url: string): NamedValues {
  if (!URL.canParse(url)) return []
  const { username, password, searchParams } = new URL(url)
  return [
    ...searchParams,
    ['password', password],
    ['password', decoded(password)],
    // The Authorization header that is made from the URL.
    ...(password === '' ? [] : [['authorization', basicOf(decoded(username), decoded(password))] as const]),
  ]
}

/**
 * The value of a flag that is named like a secret: `--token=abc`, or `abc` after `--token`. It is redacted, although
 * process lists show it.
 */
function flagValues(arg: string, before = ''): NamedValues {
  const [flag = '', value] = arg.split(/=(.*)/s, 2)
  const pairs = [[before, arg], ...(value === undefined ? [] : [[flag, value]])] as const
  return pairs.flatMap(([name = '', text = '']) =>
    name.startsWith('-') && !name.includes('=') && mayNameSecret(name) ? [[name, text] as const] : [],
  )
}

/** The base64 form in which HTTP sends a name and a password. */
export function basicOf(username: string, password: string): string {
  return Buffer.from(`${username}:${password}`).toString('base64')
}

/** Decodes percent escapes. Returns the text unchanged if it contains an invalid escape. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Decodes a header such as `Basic dXNlcjpwYXNz`, because a server may quote the decoded name and password. */
function basicCredentials(header: string): readonly string[] {
  const [, encoded] = /^Basic +(\S+)$/i.exec(header) ?? []
  if (encoded === undefined) return []
  const both = Buffer.from(encoded, 'base64').toString()
  return [both, both.slice(both.indexOf(':') + 1)]
}

const CREDENTIALS = /:\/\/([^/?#:@\s]*)(?::([^/?#\s]*))?@/g

/** The passwords of all URLs in a text: `postgres://user:password@host`. A name without a password is a token. */
export function credentialsIn(text: string): readonly string[] {
  return [...text.matchAll(CREDENTIALS)].flatMap(([, name = '', password = name]) => [password, decoded(password)])
}

/** The names of the references in a template with their values, taken from its resolved form. */
function referencesIn(template: string, resolved: string): NamedValues {
  if (template === resolved) return []
  const literals = template.split(REFERENCE).map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const found = new RegExp(`^${literals.join('([\\s\\S]*?)')}$`).exec(resolved)
  if (found === null) return [['', resolved]]
  const names = (template.match(REFERENCE) ?? []).map((reference) => namesIn(reference)[0] ?? '')
  return found.slice(1).map((value, at) => [names[at] ?? '', value])
}

/**
 * True for a number of up to 8 digits, a word of up to 12 letters such as `true`, a path of plain words, and a URL
 * without credentials and query.
 */
function looksHarmless(value: string): boolean {
  return /^(?:\d{1,8}|[a-z]{1,12}|[.~]{0,2}(?:\/[\w .@-]*)+|[A-Za-z]:\\[\w .@\\-]*|https?:\/\/[^@?]*)$/i.test(value)
}
