// Translates the variables of each client into our `${NAME}`. Other text keeps its meaning: a literal `${` is escaped.

import { defined } from '../core/defined.ts'
import type { ConfigFinding } from './problem.ts'
import { renderTemplate, type TemplatePart } from './references.ts'

interface Translation {
  /** The text with our references. */
  readonly text: string
  /** The parts that could not be kept unchanged. An error means that the text cannot be used. */
  readonly findings: readonly ConfigFinding[]
  /** The variables for the folder that is open in the editor. They were replaced with the current folder. */
  readonly folderVariables?: readonly string[]
}

export type Dialect = (text: string) => Translation

interface Translated {
  /** Undefined keeps the text as it is. */
  readonly part?: TemplatePart
  readonly finding?: ConfigFinding
  readonly folderVariable?: string
}
type Groups = Readonly<Record<string, string | undefined>>

const NAME = '[A-Za-z_]\\w*'
const BRACES = `\\$\\{(?<name>${NAME})(?::-(?<fallback>(?:[^}$]|\\$(?!\\{))*))?\\}`

// A default cannot contain a reference: a reference ends at the first `}`, and the rest would remain in the text.
const NESTED = new RegExp(`(?<!\\$)(?:\\$\\$)*\\$\\{(${NAME}):-[^}]*?\\$\\{`)

/** Our own dialect. It needs no translation. */
export const ownDialect: Dialect = refuseNested((text) => ({ text, findings: [] }))

/** A dialect without variables: `${NAME}` is only text. */
export const plainDialect: Dialect = (text) => ({ text: renderTemplate([text]), findings: [] })

/** `${NAME}` and `${NAME:-default}`. This dialect has no escape for a literal `${`. */
export const shellDialect: Dialect = refuseNested(translateMatches(new RegExp(BRACES, 'g'), referenceOf))

/** `$NAME`, `${NAME}` and `${NAME:-default}`. */
export const dollarDialect: Dialect = refuseNested(
  translateMatches(new RegExp(`${BRACES}|\\$(?<bare>${NAME})`, 'g'), (groups) =>
    groups.bare === undefined ? referenceOf(groups) : { part: { name: groups.bare } },
  ),
)

/** `{env:NAME}`. */
export const braceDialect: Dialect = translateMatches(
  /\{(?<kind>env|file):(?<value>[^{}]*)\}/g,
  ({ kind = '', value = '' }) => (kind === 'env' ? namedReference(value.trim()) : notSupported(kind)),
)

/** An input that the editor asks the user for. */
export interface EditorInput {
  readonly id: string
  readonly fallback?: string
}

interface EditorContext {
  readonly home: string
  readonly folder: string
  readonly separator: string
  readonly inputs?: readonly EditorInput[]
}

/** Variables about the state of the editor, such as the open file. Only the editor knows their values. */
const EDITOR_STATE: ReadonlySet<string> = new Set(
  'file fileWorkspaceFolder fileWorkspaceFolderBasename relativeFile relativeFileDirname fileBasename fileBasenameNoExtension fileExtname fileDirname fileDirnameBasename lineNumber columnNumber selectedText execPath defaultBuildTask cwd'.split(
    ' ',
  ),
)

/** Variables such as `${env:NAME}`, `${input:id}` and `${userHome}`, and `${NAME}`, because users write that too. */
export function editorDialect({ home, folder, separator, inputs = [] }: EditorContext): Dialect {
  const known: ReadonlyMap<string, string> = new Map([
    ['userHome', home],
    ['pathSeparator', separator],
    ['/', separator],
  ])
  const ofFolder: ReadonlyMap<string, string> = new Map([
    ['workspaceFolder', folder],
    ['workspaceRoot', folder],
    ['workspaceFolderBasename', folder.split(/[\\/]/).findLast((part) => part !== '') ?? ''],
  ])
  const pattern = new RegExp(`${BRACES}|\\$\\{(?:(?<kind>[A-Za-z]+):(?<value>[^{}]*)|(?<sign>/))\\}`, 'g')
  const translate = translateMatches(pattern, (groups, whole) => {
    const { name, kind, value = '', sign } = groups
    const fixed = known.get(name ?? sign ?? '')
    if (fixed !== undefined) return { part: fixed }
    const openFolder = ofFolder.get(name ?? '')
    if (openFolder !== undefined) return { folderVariable: whole, part: openFolder }
    if (EDITOR_STATE.has(name ?? '')) return onlyInEditor(whole)
    if (kind === 'env') return namedReference(value)
    if (kind === 'input') return inputReference(value, inputs.find((input) => input.id === value)?.fallback)
    return kind === undefined ? referenceOf(groups) : notSupported(kind)
  })
  return refuseNested(translate)
}

/** The environment variable that replaces an input: `github-token` becomes `GITHUB_TOKEN`. */
export function variableOfInput(id: string): string {
  const name = id
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/\W+/g, '_')
    .toUpperCase()
  return /^[A-Z_]/.test(name) ? name : `INPUT_${name}`
}

/** Reports a reference in the default of another reference. Other texts are translated by `dialect`. */
function refuseNested(dialect: Dialect): Dialect {
  return (text) => {
    const name = NESTED.exec(text)?.[1]
    if (name === undefined) return dialect(text)
    const finding: ConfigFinding = {
      expected: 'a default without references',
      found: 'a reference in the default of a reference',
      message: `The default of \${${name}} contains another reference, which is not supported; use only one of them`,
    }
    return { text, findings: [finding] }
  }
}

/** A dialect that replaces each match of the pattern and keeps the text between the matches. */
function translateMatches(pattern: RegExp, toPart: (groups: Groups, whole: string) => Translated): Dialect {
  return (text) => {
    const parts: TemplatePart[] = []
    const findings: ConfigFinding[] = []
    const folderVariables: string[] = []
    let end = 0
    for (const match of text.matchAll(pattern)) {
      const [whole] = match
      const { part = whole, finding, folderVariable } = toPart(match.groups ?? {}, whole)
      if (finding !== undefined) findings.push(finding)
      if (folderVariable !== undefined) folderVariables.push(folderVariable)
      parts.push(text.slice(end, match.index), part)
      end = match.index + whole.length
    }
    return {
      text: renderTemplate(joinLiterals([...parts, text.slice(end)])),
      findings,
      ...(folderVariables.length === 0 ? {} : { folderVariables }),
    }
  }
}

/** Joins neighbouring literals, because the renderer must escape the whole text between two references at once. */
function joinLiterals(parts: readonly TemplatePart[]): TemplatePart[] {
  const joined: TemplatePart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part
    else joined.push(part)
  }
  return joined.filter((part) => part !== '')
}

function referenceOf({ name = '', fallback }: Groups): Translated {
  return { part: defined({ name, fallback }) }
}

function namedReference(name: string): Translated {
  if (new RegExp(`^${NAME}$`).test(name)) return { part: { name } }
  return unknownValue("an 'env:' variable with an invalid name", "The name after 'env:' is not the name of a variable")
}

function inputReference(id: string, fallback: string | undefined): Translated {
  const name = variableOfInput(id)
  const finding: ConfigFinding = {
    severity: fallback === undefined ? 'warning' : 'info',
    expected: 'a value that the user need not type',
    found: `the input '${id}'`,
    message: `The editor asks for '${id}'. Here its value comes from the environment variable ${name}${fallback === undefined ? ', which you must set' : ''}`,
  }
  return { finding, part: defined({ name, fallback }) }
}

function notSupported(kind: string): Translated {
  return unknownValue(`a '${kind}:' variable`, `A '${kind}:' variable is not supported here`)
}

function onlyInEditor(whole: string): Translated {
  return unknownValue('a variable about the state of the editor', `Only the editor knows the value of ${whole}`)
}

function unknownValue(found: string, message: string): Translated {
  return { finding: { expected: 'a variable of the environment', found, message } }
}
