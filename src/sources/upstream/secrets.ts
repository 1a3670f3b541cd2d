// Finds the secrets in the configuration of a server.

import { isSecret } from '../../config/is-secret.ts'
import type { Connection, HttpConnection, StdioConnection } from '../../config/server-config.ts'

const REFERENCE = /\$\{[^}]*\}/g
/** A shorter text can occur by chance. */
export const MIN_CHARS = 6

/**
 * The secrets of a connection: the values of references, the passwords in URLs, and the values of variables, headers,
 * query parameters and flags if the name suggests a secret or the value does not look harmless.
 */
export function secretsOf(written: Connection, resolved: Connection): readonly string[] {
  const values = textsOf(resolved)
  const referenced = [...textsOf(written)].flatMap(([key, template]) => valuesIn(template, values.get(key) ?? ''))
  const stated = resolved.type === 'stdio' ? [...namedValuesOfProcess(resolved)] : namedValuesOfHttp(resolved)
  // `Bearer abc`: the part after the scheme can occur without it.
  const parts = stated
    .filter(([name, value]) => SECRET_NAME.test(name) || isSecret(name, value) || !looksHarmless(value))
    .flatMap(([, value]) => [value, ...value.split(' ').slice(1), ...basicCredentials(value)])
  const carried = [...values.values()].flatMap(credentialsIn)
  return [...new Set([...referenced, ...parts, ...carried])].filter((secret) => secret.length >= MIN_CHARS)
}

function textsOf(connection: Connection): ReadonlyMap<string, string> {
  const record = (name: string, values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([key, value]) => [`${name}.${key}`, value] as const)
  if (connection.type !== 'stdio') {
    const secret = connection.auth?.clientSecret
    return new Map([
      ['url', connection.url],
      ...record('headers', connection.headers),
      ...(secret === undefined ? [] : [['auth.clientSecret', secret] as const]),
    ])
  }
  const args = connection.args.map((arg, index) => [`args.${index}`, arg] as const)
  const { command, cwd = '', env } = connection
  return new Map([['command', command], ['cwd', cwd], ...args, ...record('env', env)])
}

/** Names with their resolved values. */
type NamedValues = readonly (readonly [string, string])[]

function namedValuesOfHttp({ url, headers, auth }: HttpConnection): NamedValues {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const { username = '', password = '' } = parsed ?? {}
  const credentials = basicOf(decoded(username), decoded(password))
  return [
    ...Object.entries(headers),
    ...(parsed?.searchParams ?? []),
    ['clientSecret', auth?.clientSecret ?? ''],
    ['password', password],
    ['password', decoded(password)],
    // The Authorization header that is made from the URL.
    ...(password === '' ? [] : [['authorization', credentials] as const]),
  ]
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

/** `Basic dXNlcjpwYXNz`: a server may quote the decoded name and password. */
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

/**
 * All variables, and the arguments after a flag that is named like a secret (`--token abc`). They are redacted,
 * although process lists show them.
 */
function* namedValuesOfProcess({ env, args }: StdioConnection): Iterable<readonly [string, string]> {
  yield* Object.entries(env)
  for (const [index, arg] of args.entries()) {
    const [flag = '', value = args[index + 1] ?? ''] = arg.split(/=(.*)/s, 2)
    if (flag.startsWith('-') && SECRET_NAME.test(flag)) yield [flag, value]
  }
}

/** The values of the references in a template, taken from its resolved form. */
function valuesIn(template: string, resolved: string): readonly string[] {
  if (template === resolved) return []
  const literals = template.split(REFERENCE).map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const found = new RegExp(`^${literals.join('([\\s\\S]*?)')}$`).exec(resolved)
  return found === null ? [resolved] : found.slice(1)
}

const SECRET_NAME = /key|token|secret|passw|pwd|credential|auth|cookie|session|private/i

/**
 * A number of up to 8 digits, a word of up to 12 letters such as `true`, a path of plain words, or a URL without
 * credentials and query.
 */
export function looksHarmless(value: string): boolean {
  return /^(?:\d{1,8}|[a-z]{1,12}|[.~]{0,2}(?:\/[\w .@-]*)+|[A-Za-z]:\\[\w .@\\-]*|https?:\/\/[^@?]*)$/i.test(value)
}
