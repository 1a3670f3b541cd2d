// References in a pipe: they are checked before any step runs, and resolved before each step.

import { cutLongText, quoteList } from '../../core/text.ts'
import type { Allowance } from './allowance.ts'

interface PathSegment {
  readonly key: string | number
  /** The segment as it is written in the reference. */
  readonly text: string
}

interface PipeReference {
  /** A reserved word or an alias. */
  readonly root: string
  readonly path: readonly PathSegment[]
}

export const RESERVED_WORDS: ReadonlySet<string> = new Set(['prev', 'first', 'input', 'steps'])
export const ALIAS = /^[A-Za-z_][\w-]*$/

const START = /^\$[A-Za-z_]/
const ROOT = /^\$([A-Za-z_][\w-]*)/
const SEGMENT = /\.([^.[\]\s"']+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/sy

/** `$5.00` and `$` are plain text. `$$x` is the escaped text `$x`. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && START.test(value)
}

/** Returns the parts of a reference, or the problem with its syntax. */
export function parseReference(text: string): PipeReference | string {
  const root = ROOT.exec(text)?.[1] ?? ''
  const path: PathSegment[] = []
  let position = root.length + 1
  while (position < text.length) {
    SEGMENT.lastIndex = position
    const match = SEGMENT.exec(text)
    if (match === null) return `is not a reference: its path is malformed at '${cutLongText(text.slice(position), 40)}'`
    const [segment, name, index, ...quoted] = match
    const key = name ?? (index === undefined ? unquote(quoted) : Number(index))
    path.push({ key, text: segment })
    position += segment.length
  }
  if (root === 'steps' && path.length === 0) return 'needs [n] or .alias after it'
  return { root, path }
}

function unquote(quoted: readonly (string | undefined)[]): string {
  return (quoted.find((text) => text !== undefined) ?? '').replace(/\\(.)/gs, '$1')
}

/** The facts that are known about a step before any step runs. */
interface StaticScope {
  readonly step: number
  readonly stepCount: number
  readonly hasInput: boolean
  /** The aliases of all steps, including later ones. */
  readonly aliases: ReadonlyMap<string, number>
}

/** The data that a step can refer to when it runs. */
export interface PipeScope {
  readonly input: unknown
  readonly earlier: readonly EarlierStep[]
  readonly aliases: ReadonlyMap<string, number>
  /** The rest of the allowance, for this step and later ones. */
  readonly allowance: Allowance
}

export interface EarlierStep {
  readonly command: string
  readonly status: 'success' | 'failure' | 'skipped'
  readonly data?: unknown
}

interface ReferenceProblem {
  readonly reference: string
  /** The rest of a sentence that begins with the reference. */
  readonly reason: string
}

export interface MissingValue extends ReferenceProblem {
  /** True if the value is missing because a step was skipped, which is not an error. */
  readonly isSkipped: boolean
}

type Resolved = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly missing: MissingValue }

/** Returns the first reference in the value that can never resolve at this step. */
export function findBadReference(value: unknown, scope: StaticScope): ReferenceProblem | undefined {
  if (isReference(value)) {
    const reason = referenceProblem(value, scope)
    return reason === undefined ? undefined : { reference: value, reason }
  }
  for (const child of childrenOf(value)) {
    const bad = findBadReference(child, scope)
    if (bad !== undefined) return bad
  }
  return undefined
}

/** Takes the size of all referenced values from the allowance. Returns false if it is exceeded. */
export function affordReferences(value: unknown, scope: PipeScope): boolean {
  if (!isReference(value)) return childrenOf(value).every((child) => affordReferences(child, scope))
  const found = lookUp(value, scope)
  return !found.ok || scope.allowance.take(scope.allowance.sizeOf(found.value))
}

/** Returns the value with every reference replaced by the referenced value, which can have any type. */
export function resolveReferences(value: unknown, scope: PipeScope): Resolved {
  let missing: MissingValue | undefined
  const resolve = (part: unknown): unknown => {
    if (missing !== undefined) return undefined
    if (isReference(part)) {
      const found = lookUp(part, scope)
      if (found.ok) return found.value
      missing = { reference: part, reason: found.reason(), isSkipped: found.isSkipped }
      return undefined
    }
    if (typeof part === 'string') return part.startsWith('$$') ? part.slice(1) : part
    if (Array.isArray(part)) return part.map(resolve)
    // fromEntries defines own keys, so `__proto__` is a normal key.
    if (isPlainObject(part)) return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, resolve(one)]))
    return part
  }
  const resolved = resolve(value)
  return missing === undefined ? { ok: true, value: resolved } : { ok: false, missing }
}

export function exists(reference: string, scope: PipeScope): boolean {
  return lookUp(reference, scope).ok
}

/** True if the value nests more than `levels` arrays and objects. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (!Array.isArray(value) && !isPlainObject(value)) return false
  return levels === 0 || childrenOf(value).some((child) => isNestedDeeper(child, levels - 1))
}

function referenceProblem(text: string, { step, stepCount, hasInput, aliases }: StaticScope): string | undefined {
  const reference = parseReference(text)
  if (typeof reference === 'string') return reference
  const { root } = reference
  if (root === 'input') return hasInput ? undefined : "needs a field 'input' next to 'steps', and this pipe has none"
  if (root === 'prev' || root === 'first') return step === 0 ? 'has no step before it to refer to' : undefined

  const target = namedStep(reference, aliases)
  if (target === undefined) {
    const known = [...aliases].flatMap(([alias, index]) => (index < step ? alias : []))
    return `does not name a step: ${known.length === 0 ? 'no earlier step has an alias' : `the earlier aliases are ${quoteList(known)}`}`
  }
  if (target >= stepCount) return `names step ${target}, but the steps are 0 to ${stepCount - 1}`
  if (target === step) return 'names its own step, which has no output yet'
  return target > step ? `names step ${target}, which runs later` : undefined
}

/** `reason` builds its text only when it is needed, because listing the keys of an object is slow. */
type Found =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly isSkipped: boolean; reason(): string }

function lookUp(text: string, { input, earlier, aliases }: PipeScope): Found {
  const reference = parseReference(text)
  if (typeof reference === 'string') return notFound(() => reference)
  const { root } = reference
  if (root === 'input') return follow(input, reference, 0)

  const index = root === 'prev' ? lastRun(earlier) : root === 'first' ? 0 : namedStep(reference, aliases)
  const step = index === undefined ? undefined : earlier[index]
  if (step === undefined) return notFound(() => 'has no value: no step before this one has run', true)
  if (step.status !== 'success') {
    const isSkipped = step.status === 'skipped'
    const name = `step ${index} ('${cutLongText(step.command, 80)}')`
    return notFound(() => `has no value: ${name} ${isSkipped ? 'was skipped' : 'failed'}`, isSkipped)
  }
  // After `$steps` the first segment names the step; it does not belong to the path into the data.
  return follow(step.data, reference, root === 'steps' ? 1 : 0)
}

function notFound(reason: () => string, isSkipped = false): Found {
  return { ok: false, isSkipped, reason }
}

/**
 * `$prev` skips skipped steps but not a failed one: older data must not be mistaken for the data of the failed step.
 */
function lastRun(earlier: readonly EarlierStep[]): number {
  return earlier.findLastIndex(({ status }) => status !== 'skipped')
}

function namedStep({ root, path }: PipeReference, aliases: ReadonlyMap<string, number>): number | undefined {
  const name = RESERVED_WORDS.has(root) ? path[0]?.key : root
  return typeof name === 'string' ? aliases.get(name) : name
}

function follow(data: unknown, { root, path }: PipeReference, start: number): Found {
  const pathText = (end: number) => {
    const text = path.slice(0, end).map((segment) => segment.text)
    return `$${root}${cutLongText(text.join(''), 80)}`
  }
  const notFoundAt = (end: number, suffix: () => string): Found =>
    notFound(() => `has no value at ${pathText(end)}${suffix()}`)
  let value = data
  for (const [index, { key }] of path.slice(start).entries()) {
    const parent = value
    // Own properties only: `constructor` and `__proto__` are not data.
    if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key))
      return notFoundAt(start + index + 1, () => `: ${pathText(start + index)} is ${shapeText(parent)}`)
    value = (parent as Readonly<Record<PropertyKey, unknown>>)[key] // hasOwn was just checked
  }
  return value === undefined ? notFoundAt(path.length, () => '') : { ok: true, value }
}

const MAX_KEYS_SHOWN = 10

function shapeText(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length} ${value.length === 1 ? 'item' : 'items'}`
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : `a value of type ${typeof value}`
  const known = fieldTexts.get(value) ?? describeFields(value)
  fieldTexts.set(value, known)
  return known
}

// Cached: listing the keys of an object with a million fields is slow, and every step may need it.
const fieldTexts = new WeakMap<object, string>()

function describeFields(value: object): string {
  const keys = Object.keys(value)
  const shown = keys.slice(0, MAX_KEYS_SHOWN).map((key) => cutLongText(key, 40))
  if (keys.length === 0) return 'an empty object'
  return `an object with ${quoteList(shown)}${keys.length > shown.length ? ` and ${keys.length - shown.length} more` : ''}`
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return isPlainObject(value) ? Object.values(value) : []
}

// A Date or a Map, passed by a caller in this process, contains no references and is passed on unchanged.
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
