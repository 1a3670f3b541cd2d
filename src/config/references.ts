// Parses and resolves `${VAR}`, `${person.VAR}` and `${VAR:-default}`. A config keeps them until the server starts.

import { readVariable } from '../core/variables.ts'

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

// A default contains neither `}` nor `${`. Before the brace, two dollar signs mean one literal dollar sign, so
// `$${NAME}` is the literal text `${NAME}`. All other dollar signs are literal. The lookbehind prevents quadratic time
// for a long row of dollar signs.
const REFERENCE = /(?<!\$)(\$+)(\{((?:person\.)?[A-Za-z_]\w*)(?::-((?:[^}$]|\$(?!\{))*))?\})/g

/** The start of the name of a personal variable. Each person has their own value for it. */
const PERSONAL_PREFIX = 'person.'

export function isPersonal(name: string): boolean {
  return name.toLowerCase().startsWith(PERSONAL_PREFIX)
}

/**
 * The variables for a server of one person. Leaves out variables of this process that have the name of a personal
 * variable: a person without a value must not get the value of the process.
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
      // Doubles the dollar signs of a text that looks like a reference, and those directly before a reference.
      const escaped = part.replace(REFERENCE, '$1$1$2')
      return typeof parts[index + 1] === 'object' ? escaped.replace(/\$+$/, '$&$&') : escaped
    })
    .join('')
}

export function hasReferences(text: string): boolean {
  return parseTemplate(text).some((part) => typeof part !== 'string')
}

/** The names of the variables that a text refers to, with or without a default. */
export function namesIn(text: string): readonly string[] {
  return parseTemplate(text).flatMap((part) => (typeof part === 'string' ? [] : [part.name]))
}

/** Replaces every reference, or returns the variables that are not set. On Windows, `${path}` finds `PATH`. */
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

function renderReference({ name, fallback }: VariableReference): string {
  const isWritable = fallback !== undefined && !/\}|\$\{/.test(fallback)
  return isWritable ? `\${${name}:-${fallback}}` : `\${${name}}`
}
