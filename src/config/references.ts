// Resolves `${VAR}`, `${person.VAR}` and `${VAR:-default}` in a connection. They stay references until the server starts.

import { readVariable } from '../core/variables.ts'
import type { Connection, HttpAuth } from './server-config.ts'

export interface VariableReference {
  readonly name: string
  /** Used if the variable is unset or empty. */
  readonly fallback?: string
}

/** A literal text or a reference. */
export type TemplatePart = string | VariableReference

export type Variables = Readonly<Record<string, string | undefined>>

type ResolvedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly missing: readonly string[] }

type ResolvedConnection =
  | { readonly ok: true; readonly connection: Connection }
  | { readonly ok: false; readonly missing: readonly string[] }

// A default contains neither `}` nor `${`. Before the brace, two dollar signs mean one literal dollar sign, so
// `$${NAME}` is the literal text `${NAME}`. All other dollar signs are literal. The lookbehind prevents quadratic time
// for a long row of dollar signs.
const REFERENCE = /(?<!\$)(\$+)(\{((?:person\.)?[A-Za-z_]\w*)(?::-((?:[^}$]|\$(?!\{))*))?\})/g

/** The names of variables that each person has a value of. */
const PERSONAL_PREFIX = 'person.'

export function isPersonal(name: string): boolean {
  return name.toLowerCase().startsWith(PERSONAL_PREFIX)
}

/**
 * The variables for a server of one person. Variables of this process with such a name are left out, so that a person
 * without a value never gets the value of another.
 */
export function withPersonal(variables: Variables, own: Variables): Variables {
  const shared = Object.entries(variables).filter(([name]) => !isPersonal(name))
  const personal = Object.entries(own).map(([name, value]) => [`${PERSONAL_PREFIX}${name}`, value] as const)
  return Object.fromEntries([...shared, ...personal])
}

export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let literal = ''
  let end = 0
  for (const match of text.matchAll(REFERENCE)) {
    const [whole, dollars = '', braces = '', name = '', fallback] = match
    literal += text.slice(end, match.index) + '$'.repeat(dollars.length >> 1)
    end = match.index + whole.length
    if (dollars.length % 2 === 0) {
      literal += braces
      continue
    }
    if (literal !== '') parts.push(literal)
    literal = ''
    parts.push(fallback === undefined ? { name } : { name, fallback })
  }
  literal += text.slice(end)
  if (literal !== '') parts.push(literal)
  return parts
}

/** The inverse of `parseTemplate`. A default that cannot be represented is omitted. */
export function renderTemplate(parts: readonly TemplatePart[]): string {
  return parts
    .map((part, index) => {
      if (typeof part !== 'string') return renderReference(part)
      const escaped = part.replace(REFERENCE, '$1$1$2')
      return typeof parts[index + 1] === 'object' ? escaped.replace(/\$+$/, '$&$&') : escaped
    })
    .join('')
}

export function hasReferences(text: string): boolean {
  return parseTemplate(text).some((part) => typeof part !== 'string')
}

/** On Windows, `${userprofile}` finds `USERPROFILE`. */
export function resolveText(text: string, variables: Variables, platform = process.platform): ResolvedText {
  const missing: string[] = []
  const resolved = parseTemplate(text).map((part) => {
    if (typeof part === 'string') return part
    const value = readVariable(variables, part.name, platform)
    if (value !== undefined && (value !== '' || part.fallback === undefined)) return value
    if (part.fallback === undefined) missing.push(part.name)
    return part.fallback ?? ''
  })
  return missing.length === 0 ? { ok: true, text: resolved.join('') } : { ok: false, missing: [...new Set(missing)] }
}

/** Replaces every reference of a connection, or returns the variables that are not set. */
export function resolveConnection(connection: Connection, variables: Variables): ResolvedConnection {
  const missing = new Set<string>()
  const resolved = mapTexts(connection, (text) => {
    const result = resolveText(text, variables)
    if (result.ok) return result.text
    for (const name of result.missing) missing.add(name)
    return ''
  })
  return missing.size === 0 ? { ok: true, connection: resolved } : { ok: false, missing: [...missing] }
}

/** The variables that a connection refers to, with or without a default. */
export function referencedNames(connection: Connection): string[] {
  const names = new Set<string>()
  mapTexts(connection, (text) => {
    for (const part of parseTemplate(text)) if (typeof part !== 'string') names.add(part.name)
    return text
  })
  return [...names]
}

/** Changes every text of a connection. Names of variables and headers stay the same. */
export function mapTexts(connection: Connection, change: (text: string) => string): Connection {
  const changeValues = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(record).map(([key, text]) => [key, change(text)]))
  if (connection.type !== 'stdio') {
    const { auth } = connection
    return {
      ...connection,
      url: change(connection.url),
      headers: changeValues(connection.headers),
      ...(auth === undefined ? {} : { auth: mapAuth(auth, change) }),
    }
  }
  const { command, args, env, cwd, envFile } = connection
  return {
    ...connection,
    command: change(command),
    args: args.map(change),
    env: changeValues(env),
    ...(cwd === undefined ? {} : { cwd: change(cwd) }),
    ...(envFile === undefined ? {} : { envFile: change(envFile) }),
  }
}

/** Changes every text of the login settings. */
export function mapAuth(auth: HttpAuth, change: (text: string) => string): HttpAuth {
  const { clientId, clientSecret, clientMetadataUrl, scopes, issuer } = auth
  return {
    ...auth,
    ...(clientId === undefined ? {} : { clientId: change(clientId) }),
    ...(clientSecret === undefined ? {} : { clientSecret: change(clientSecret) }),
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl: change(clientMetadataUrl) }),
    ...(scopes === undefined ? {} : { scopes: scopes.map(change) }),
    ...(issuer === undefined ? {} : { issuer: change(issuer) }),
  }
}

function renderReference({ name, fallback }: VariableReference): string {
  const isWritable = fallback !== undefined && !/\}|\$\{/.test(fallback)
  return isWritable ? `\${${name}:-${fallback}}` : `\${${name}}`
}
