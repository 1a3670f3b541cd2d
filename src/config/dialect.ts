// How each client writes a variable, translated into our `${NAME}`. What only looks like one of ours is kept as text.

import type { Finding } from './problem.ts'
import { type Reference, renderTemplate, type TemplatePart } from './references.ts'

export interface Translation {
  readonly text: string
  /** What could not be kept as it was; an error means that the text cannot be used. */
  readonly findings: readonly Finding[]
}

export type Dialect = (text: string) => Translation

type Translated = TemplatePart | { readonly finding: Finding; readonly part?: TemplatePart }
type Groups = Readonly<Record<string, string | undefined>>

const NAME = '[A-Za-z_]\\w*'
const BRACES = `\\$\\{(?<name>${NAME})(?::-(?<fallback>(?:[^}$]|\\$(?!\\{))*))?\\}`

// A default holds no reference: half of one would be left standing in the text.
const NESTED = new RegExp(`(?<!\\$)(?:\\$\\$)*\\$\\{(${NAME}):-[^}]*?\\$\\{`)

/** Our own: nothing to translate. */
export const ownDialect: Dialect = refusingNested((text) => ({ text, findings: [] }))

/** No variables at all: `${NAME}` is only text. */
export const plainDialect: Dialect = (text) => ({ text: renderTemplate([text]), findings: [] })

/** `${NAME}` and `${NAME:-default}`, with no way to write a literal one. */
export const shellDialect: Dialect = refusingNested(translating(new RegExp(BRACES, 'g'), referenceOf))

/** `$NAME` beside `${NAME}`. */
export const dollarDialect: Dialect = refusingNested(
  translating(new RegExp(`${BRACES}|\\$(?<bare>${NAME})`, 'g'), (groups) =>
    groups.bare === undefined ? referenceOf(groups) : { name: groups.bare },
  ),
)

/** `{env:NAME}`. */
export const braceDialect: Dialect = translating(/\{(?<kind>env|file):(?<of>[^{}]*)\}/g, ({ kind, of = '' }, whole) =>
  kind === 'env' ? namedReference(of.trim(), whole) : notUnderstood(whole),
)

/** An input that an editor would ask for. */
export interface EditorInput {
  readonly id: string
  readonly fallback?: string
}

export interface EditorPlaces {
  readonly home: string
  readonly folder: string
  readonly separator: string
  readonly inputs?: readonly EditorInput[]
}

/** `${env:NAME}`, `${input:id}`, `${userHome}`, `${workspaceFolder}`; and `${NAME}`, which people write as well. */
export function editorDialect({ home, folder, separator, inputs = [] }: EditorPlaces): Dialect {
  const known: ReadonlyMap<string, string> = new Map([
    ['userHome', home],
    ['workspaceFolder', folder],
    ['workspaceRoot', folder],
    ['workspaceFolderBasename', folder.split(/[\\/]/).findLast((part) => part !== '') ?? ''],
    ['pathSeparator', separator],
    ['/', separator],
  ])
  const pattern = new RegExp(`${BRACES}|\\$\\{(?:(?<kind>[A-Za-z]+):(?<of>[^{}]*)|(?<sign>/))\\}`, 'g')
  return translating(pattern, (groups, whole) => {
    const { name, kind, of = '', sign } = groups
    const place = known.get(name ?? sign ?? '')
    if (place !== undefined) return place
    if (kind === 'env') return namedReference(of, whole)
    if (kind === 'input') {
      const fallback = inputs.find((input) => input.id === of)?.fallback
      return inputReference(of, fallback)
    }
    return kind === undefined ? referenceOf(groups) : notUnderstood(whole)
  })
}

/** The environment variable that stands for an input: `github-token` becomes `GITHUB_TOKEN`. */
export function variableOfInput(id: string): string {
  const name = id
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/\W+/g, '_')
    .toUpperCase()
  return /^[A-Z_]/.test(name) ? name : `INPUT_${name}`
}

function refusingNested(dialect: Dialect): Dialect {
  return (text) => {
    const name = NESTED.exec(text)?.[1]
    if (name === undefined) return dialect(text)
    const finding: Finding = {
      expected: 'a default that is only text',
      found: 'a reference in the default of a reference',
      message: `The default of \${${name}} holds another reference, which is not read; use only one of them`,
    }
    return { text, findings: [finding] }
  }
}

function translating(pattern: RegExp, toPart: (groups: Groups, whole: string) => Translated): Dialect {
  return (text) => {
    const parts: TemplatePart[] = []
    const findings: Finding[] = []
    let end = 0
    for (const match of text.matchAll(pattern)) {
      const translated = toPart(match.groups ?? {}, match[0])
      const isFinding = typeof translated === 'object' && 'finding' in translated
      if (isFinding) findings.push(translated.finding)
      const part = isFinding ? (translated.part ?? match[0]) : translated
      parts.push(text.slice(end, match.index), part)
      end = match.index + match[0].length
    }
    return { text: renderTemplate(joinLiterals([...parts, text.slice(end)])), findings }
  }
}

/** One literal between two references: only then does the renderer see what stands before each. */
function joinLiterals(parts: readonly TemplatePart[]): TemplatePart[] {
  const joined: TemplatePart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part
    else joined.push(part)
  }
  return joined.filter((part) => part !== '')
}

function referenceOf({ name = '', fallback }: Groups): Reference {
  return fallback === undefined ? { name } : { name, fallback }
}

function namedReference(name: string, whole: string): Translated {
  return new RegExp(`^${NAME}$`).test(name) ? { name } : notUnderstood(whole)
}

function inputReference(id: string, fallback: string | undefined): Translated {
  const name = variableOfInput(id)
  const finding: Finding = {
    severity: fallback === undefined ? 'warning' : 'info',
    expected: 'a value that is there without asking',
    found: `the input '${id}'`,
    message: `The editor asks for '${id}'; here it is read from the environment variable ${name}`,
  }
  return { finding, part: fallback === undefined ? { name } : { name, fallback } }
}

function notUnderstood(whole: string): Translated {
  const kind = /^\$?\{([A-Za-z]+):/.exec(whole)?.[1] ?? ''
  const finding: Finding = {
    expected: 'a variable of the environment',
    found: `a '${kind}:' variable`,
    message: `A '${kind}:' variable as written here is not understood`,
  }
  return { finding }
}
