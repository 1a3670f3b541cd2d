// Which texts of a server's configuration are secret, and a function that takes them out of any other text.

import type { Connection, HttpConnection } from '../../config/server-config.ts'

const REFERENCE = /\$\{[^}]*\}/g
/** Shorter ones would be found everywhere, and guessed anyway. */
const MIN_CHARS = 6

/** What references stood for, and the values of variables, headers and queries that do not look harmless. */
export function secretsOf(written: Connection, resolved: Connection): readonly string[] {
  const values = textsOf(resolved)
  const referenced = [...textsOf(written)].flatMap(([key, template]) => valuesIn(template, values.get(key) ?? ''))
  const stated = resolved.type === 'stdio' ? Object.values(resolved.env) : statedIn(resolved)
  // `Bearer abc`: what follows the scheme may turn up without it.
  const parts = stated
    .filter((value) => !looksHarmless(value))
    .flatMap((value) => [value, ...value.split(' ').slice(1)])
  return [...new Set([...referenced, ...parts])].filter((secret) => secret.length >= MIN_CHARS)
}

export function createRedactor(secrets: readonly string[]): (text: string) => string {
  // The longest first: one may contain another.
  const ordered = secrets.toSorted((a, b) => b.length - a.length)
  return (text) => ordered.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)
}

function textsOf(connection: Connection): ReadonlyMap<string, string> {
  const record = (name: string, values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([key, value]) => [`${name}.${key}`, value] as const)
  if (connection.type !== 'stdio') return new Map([['url', connection.url], ...record('headers', connection.headers)])
  const args = connection.args.map((arg, index) => [`args.${index}`, arg] as const)
  return new Map([['command', connection.command], ...args, ...record('env', connection.env)])
}

function statedIn({ url, headers }: HttpConnection): readonly string[] {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  return [...Object.values(headers), ...(parsed?.searchParams.values() ?? []), parsed?.password ?? '']
}

/** The values that the references of a template have in its resolved form. */
function valuesIn(template: string, resolved: string): readonly string[] {
  if (template === resolved) return []
  const literals = template.split(REFERENCE).map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const found = new RegExp(`^${literals.join('([\\s\\S]*?)')}$`).exec(resolved)
  return found === null ? [resolved] : found.slice(1)
}

function looksHarmless(value: string): boolean {
  return /^(?:true|false|yes|no|on|off|\d+|[.~]?\/.*|[A-Za-z]:\\.*|[a-z]+|https?:\/\/[^@?]*)$/.test(value)
}
