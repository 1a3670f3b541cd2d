// What is wrong in a configuration, where, and what was expected there. Never shows a value that could be a secret.

import { cutLongText, onOneLine } from '../core/text.ts'

/** `error`: what is written there is not in force. `warning`: it is, but look at it. `info`: as it should be. */
export type Severity = 'error' | 'warning' | 'info'

export interface ConfigProblem {
  readonly file: string
  /** Inside the file, like `discovery.servers[2].connection.command`; empty for the file as a whole. */
  readonly path: string
  readonly expected: string
  readonly found: string
  readonly severity: Severity
  readonly message: string
  /** Where the text stops making sense, counted from 1. */
  readonly line?: number
  readonly column?: number
  /** The entry is served under another name, or not at all: `list` reports it too. */
  readonly isAboutServing?: true
}

/** A place in a file, before it is put into words. */
export interface Place {
  readonly file: string
  readonly path: readonly PropertyKey[]
}

export interface Finding {
  readonly expected: string
  readonly found: string
  /** Left out: made of what was expected and found. */
  readonly message?: string
  /** Left out: `error`. */
  readonly severity?: Severity
  readonly line?: number
  readonly column?: number
  readonly isAboutServing?: true
}

export function inside<P extends Place>(place: P, ...path: readonly PropertyKey[]): P {
  return { ...place, path: [...place.path, ...path] }
}

export function problemAt({ file, path }: Place, finding: Finding): ConfigProblem {
  const { expected, found, message, severity = 'error', ...position } = finding
  return {
    file,
    path: pathText(path),
    expected,
    found,
    severity,
    message: message ?? `Expected ${expected}, found ${found}`,
    ...position,
  }
}

/** `error: config.yaml:3:7 discovery.cache.ttl: Expected a number, found a string`. */
export function renderProblem({ severity, file, line, column, path, message }: ConfigProblem): string {
  const position = line === undefined ? '' : `:${line}${column === undefined ? '' : `:${column}`}`
  const where = path === '' ? `${file}${position}` : `${file}${position} ${path}`
  return onOneLine(`${severity}: ${where}: ${message}`)
}

/** `discovery.servers[2].connection`; a key that is no plain word is quoted: `mcpServers["my.server"]`. */
export function pathText(path: readonly PropertyKey[]): string {
  const parts = path.map((key, index) => {
    if (typeof key === 'number') return `[${key}]`
    const name = cutLongText(String(key), 80)
    if (!/^[\w$-]+$/.test(name)) return `[${JSON.stringify(name)}]`
    return index === 0 ? name : `.${name}`
  })
  return parts.join('')
}

/** What kind of value it is, never the value. */
export function shapeOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  if (value === '') return 'an empty string'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
