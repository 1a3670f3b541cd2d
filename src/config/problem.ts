// Problems of a configuration: location, expected and found value. They never contain a possible secret.

import { cutLongText, onOneLine } from '../core/text.ts'

/** `error`: invalid, so it is not used. `warning`: the user should change something. `info`: nothing is wrong. */
export type Severity = 'error' | 'warning' | 'info'

export interface ConfigProblem {
  /** The path of the file. */
  readonly file: string
  /** The path inside the file, such as `discovery.servers[2].connection.command`. Empty for the whole file. */
  readonly path: string
  /** A description of a valid value. */
  readonly expected: string
  /** A description of what was found, such as the type of the value. The value itself only if it cannot be a secret. */
  readonly found: string
  /** `error` if the value cannot be used, else `warning` or `info`. */
  readonly severity: Severity
  /** The problem, as a sentence. */
  readonly message: string
  /** The kind of a problem that other code looks for. */
  readonly kind?: 'unknown-key'
  /** The line of a syntax error, from 1. */
  readonly line?: number
  /** The column of a syntax error, from 1. */
  readonly column?: number
  /** True if the entry is served under another name, is not served or cannot start. `list` shows these problems. */
  readonly isAboutServing?: true
}

/** A location in a file, before it is rendered as text. */
export interface ConfigLocation {
  /** The path of the file. */
  readonly file: string
  /** The keys from the root of the document. */
  readonly path: readonly PropertyKey[]
}

/** A problem without its file and its path in the file. */
export interface ConfigFinding
  extends Pick<ConfigProblem, 'expected' | 'found' | 'kind' | 'line' | 'column' | 'isAboutServing'> {
  /** Default: a sentence with the expected and the found value. */
  readonly message?: string
  /** Default: `error`. */
  readonly severity?: Severity
}

/** The location of a value inside the value at `location`. */
export function inside<P extends ConfigLocation>(location: P, ...path: readonly PropertyKey[]): P {
  return { ...location, path: [...location.path, ...path] }
}

export function problemAt({ file, path }: ConfigLocation, finding: ConfigFinding): ConfigProblem {
  const { expected, found, message, severity = 'error', ...rest } = finding
  return {
    file,
    path: pathText(path),
    expected,
    found,
    severity,
    message: message ?? `Expected ${expected}, found ${found}`,
    ...rest,
  }
}

/** A problem with a whole file. */
export function fileProblem(file: string, finding: ConfigFinding): ConfigProblem {
  return problemAt({ file, path: [] }, finding)
}

/** A problem with an entry that was read earlier. Its path is already a text. */
export function problemAtOrigin(
  { file, path = '' }: { readonly file: string; readonly path?: string },
  finding: ConfigFinding,
): ConfigProblem {
  return { ...fileProblem(file, finding), path }
}

/** Reports the safe value that is used instead of a setting that cannot be read. */
export function failClosedProblem(location: ConfigLocation, effect: string): ConfigProblem {
  return problemAt(location, {
    severity: 'warning',
    expected: 'a valid setting',
    found: 'an invalid one',
    message: `Until this is corrected, ${effect}`,
  })
}

/** Renders one line, such as `error: config.yaml:3:7 discovery.cache.ttl: Expected a number, found a string`. */
export function renderProblem({ severity, file, line, column, path, message }: ConfigProblem): string {
  const position = line === undefined ? '' : `:${line}${column === undefined ? '' : `:${column}`}`
  const where = path === '' ? `${file}${position}` : `${file}${position} ${path}`
  return onOneLine(`${severity}: ${where}: ${message}`)
}

/** Renders `discovery.servers.files: Expected …`, or `Not valid JSON: … (line 2, column 1)` for a problem of the whole file. */
export function faultText({ path, message, line, column = 1 }: FaultyPart): string {
  if (path !== '') return `${path}: ${message}`
  return line === undefined ? message : `${message} (line ${line}, column ${column})`
}

type FaultyPart = Pick<ConfigProblem, 'path' | 'message' | 'line' | 'column'>

/** Renders `discovery.servers[2].connection`. A key with special characters is quoted: `mcpServers["my.server"]`. */
export function pathText(path: readonly PropertyKey[]): string {
  const parts = path.map((key, index) => {
    if (typeof key === 'number') return `[${key}]`
    const name = cutLongText(String(key), 80)
    if (!/^[\w$-]+$/.test(name)) return `[${JSON.stringify(name)}]`
    return index === 0 ? name : `.${name}`
  })
  return parts.join('')
}

/** Describes the type of a value, never the value itself. */
export function shapeOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${itemCount(value.length)}`
  if (value === '') return 'an empty string'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** `1 item`, or `2 items`. */
export function itemCount(count: number | bigint): string {
  return `${count} ${Number(count) === 1 ? 'item' : 'items'}`
}
