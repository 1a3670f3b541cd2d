// References in a pipe: what each can mean, checked before anything runs, and what it stands for, step by step.

import { cutLongText, quoteList } from '../../core/text.ts'
import type { Allowance } from './allowance.ts'
import { isReference, parseReference, RESERVED_WORDS, type Reference, type Segment } from './parse-reference.ts'

/** What is known at one step before anything runs. */
export interface StaticScope {
  readonly step: number
  readonly stepCount: number
  readonly hasInput: boolean
  /** Of all steps, also the later ones. */
  readonly aliases: ReadonlyMap<string, number>
}

/** What is known at one step when it is about to run. */
export interface Scope {
  readonly input: unknown
  readonly earlier: readonly EarlierStep[]
  readonly aliases: ReadonlyMap<string, number>
  /** What is left of it for this step and those after it. */
  readonly allowance: Allowance
}

export interface EarlierStep {
  readonly command: string
  readonly status: 'success' | 'failure' | 'skipped'
  readonly data?: unknown
}

export interface ReferenceProblem {
  readonly reference: string
  /** The rest of a sentence that starts with the reference. */
  readonly reason: string
}

export interface MissingValue extends ReferenceProblem {
  /** There is no value because a step was skipped, not because something is wrong. */
  readonly isSkipped: boolean
}

export type Resolved =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly missing: MissingValue }

/** The first reference in a value that can never have a meaning at that step. */
export function findBadReference(value: unknown, scope: StaticScope): ReferenceProblem | undefined {
  if (isReference(value)) {
    const reason = objection(value, scope)
    return reason === undefined ? undefined : { reference: value, reason }
  }
  for (const child of childrenOf(value)) {
    const bad = findBadReference(child, scope)
    if (bad !== undefined) return bad
  }
  return undefined
}

/** Whether the allowance covers what all references in a value stand for; it is used up by that much. */
export function affordReferences(value: unknown, scope: Scope): boolean {
  if (!isReference(value)) return childrenOf(value).every((child) => affordReferences(child, scope))
  const found = lookUp(value, scope)
  return !found.ok || scope.allowance.take(scope.allowance.sizeOf(found.value))
}

/** The value with every reference in it replaced by what it stands for, whatever its type. */
export function resolveReferences(value: unknown, scope: Scope): Resolved {
  let missing: MissingValue | undefined
  const resolve = (part: unknown): unknown => {
    if (missing !== undefined) return undefined
    if (isReference(part)) {
      const found = lookUp(part, scope)
      if (found.ok) return found.value
      missing = describeMissing(part, found)
      return undefined
    }
    if (typeof part === 'string') return part.startsWith('$$') ? part.slice(1) : part
    if (Array.isArray(part)) return part.map(resolve)
    // fromEntries defines each key as its own, so `__proto__` is a key like any other.
    if (isPlainObject(part)) return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, resolve(one)]))
    return part
  }
  const resolved = resolve(value)
  return missing === undefined ? { ok: true, value: resolved } : { ok: false, missing }
}

export function exists(reference: string, scope: Scope): boolean {
  return lookUp(reference, scope).ok
}

/** Whether a value has more than `levels` arrays and objects inside one another. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (!Array.isArray(value) && !isPlainObject(value)) return false
  return levels === 0 || childrenOf(value).some((child) => isNestedDeeper(child, levels - 1))
}

function objection(text: string, { step, stepCount, hasInput, aliases }: StaticScope): string | undefined {
  const reference = parseReference(text)
  if (typeof reference === 'string') return reference
  const { root } = reference
  if (root === 'input') return hasInput ? undefined : "needs 'input' beside 'steps', and this pipe has none"
  if (root === 'prev' || root === 'first') return step === 0 ? 'has no step before it to refer to' : undefined

  const target = namedStep(reference, aliases)
  if (target === undefined) {
    const known = [...aliases].flatMap(([alias, index]) => (index < step ? alias : []))
    return `names no step: ${known.length === 0 ? 'no earlier step has an alias' : `the earlier aliases are ${quoteList(known)}`}`
  }
  if (target >= stepCount) return `names step ${target}, but the steps are 0 to ${stepCount - 1}`
  if (target === step) return 'names its own step, which has no output yet'
  return target > step ? `names step ${target}, which runs later` : undefined
}

type Found = { readonly ok: true; readonly value: unknown } | NotFound

/** Why there is no value. Put into words only where someone reads them: to list an object's keys takes long. */
type NotFound =
  | { readonly ok: false; readonly why: 'malformed'; readonly problem: string }
  | { readonly ok: false; readonly why: 'not-run' }
  | { readonly ok: false; readonly why: 'no-output'; readonly index: number; readonly step: EarlierStep }
  | { readonly ok: false; readonly why: 'no-value'; readonly place: string; readonly lookedIn: unknown }

function lookUp(text: string, { input, earlier, aliases }: Scope): Found {
  const reference = parseReference(text)
  if (typeof reference === 'string') return { ok: false, why: 'malformed', problem: reference }
  const { root, path } = reference
  if (root === 'input') return follow(input, reference, 0)

  const index = root === 'prev' ? lastRun(earlier) : root === 'first' ? 0 : namedStep(reference, aliases)
  const step = index === undefined ? undefined : earlier[index]
  if (index === undefined || step === undefined) return { ok: false, why: 'not-run' }
  if (step.status !== 'success') return { ok: false, why: 'no-output', index, step }
  // After `$steps` the first segment says which step; it is no part of the path into the data.
  return follow(step.data, { root, path }, root === 'steps' ? 1 : 0)
}

function describeMissing(reference: string, found: NotFound): MissingValue {
  const missing = (reason: string, isSkipped = false) => ({ reference, reason, isSkipped })
  switch (found.why) {
    case 'malformed':
      return missing(found.problem)
    case 'not-run':
      return missing('has no value: no step before this one has run', true)
    case 'no-output': {
      const isSkipped = found.step.status === 'skipped'
      const step = `step ${found.index} ('${cutLongText(found.step.command, 80)}')`
      return missing(`has no value: ${step} ${isSkipped ? 'was skipped' : 'failed'}`, isSkipped)
    }
    case 'no-value': {
      const { place, lookedIn } = found
      return missing(`has no value at ${place}${lookedIn === NOWHERE ? '' : `, looked for in ${describe(lookedIn)}`}`)
    }
  }
}

/** `$prev` looks past skipped steps, but not past a failed one: older data must not pass for the failed step's. */
function lastRun(earlier: readonly EarlierStep[]): number {
  return earlier.findLastIndex(({ status }) => status !== 'skipped')
}

function namedStep({ root, path }: Reference, aliases: ReadonlyMap<string, number>): number | undefined {
  const name = RESERVED_WORDS.has(root) ? path[0]?.key : root
  return typeof name === 'string' ? aliases.get(name) : name
}

/** In place of what was looked in, where the value itself is undefined. */
const NOWHERE = Symbol('nowhere')

function follow(data: unknown, { root, path }: Reference, start: number): Found {
  const none = (end: number, lookedIn: unknown): Found => {
    return { ok: false, why: 'no-value', place: `$${root}${textOf(path.slice(0, end))}`, lookedIn }
  }
  let value = data
  for (const [index, { key }] of path.slice(start).entries()) {
    // Own properties only: `constructor` and `__proto__` are not data.
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return none(start + index + 1, value)
    value = (value as Readonly<Record<PropertyKey, unknown>>)[key] // hasOwn was just checked
  }
  return value === undefined ? none(path.length, NOWHERE) : { ok: true, value }
}

function textOf(path: readonly Segment[]): string {
  return cutLongText(path.map(({ text }) => text).join(''), 80)
}

const MAX_KEYS_SHOWN = 10

function describe(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : `a value of type ${typeof value}`
  const known = described.get(value) ?? describeFields(value)
  described.set(value, known)
  return known
}

// Even the first field of an object of a million costs as much as all of them, and every step may miss one in it.
const described = new WeakMap<object, string>()

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

// A Date or a Map from a caller in this process has no references inside and must arrive as it is.
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
