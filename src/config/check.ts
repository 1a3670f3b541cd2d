// Checks a value from a file against a zod schema. The problems contain the location, the expected and the found value.

import { z } from 'zod'
import { findSimilarTools } from '../core/similarity.ts'
import { cutLongText, quoteList } from '../core/text.ts'
import {
  type ConfigFinding,
  type ConfigLocation,
  type ConfigProblem,
  inside,
  itemCount,
  pathText,
  problemAt,
  type Severity,
  shapeOf,
} from './problem.ts'

interface CheckOptions {
  /** The severity of unknown keys. They are reported and never used. Default: `error`. */
  readonly unknownKeys?: Severity
  /**
   * Leaves out invalid values, and objects without a required key, so that the defaults apply. Otherwise one invalid
   * value makes the whole value unusable.
   */
  readonly dropInvalid?: boolean
  /** The key of an object at the root. Users confuse its keys with those of the root, so both are suggested. */
  readonly confusable?: string
}

interface CheckResult<T> {
  /** Undefined if the value cannot be used. */
  readonly value?: T
  readonly problems: readonly ConfigProblem[]
}

type Issue = z.core.$ZodIssue

// If a removed value was required, the next round removes the object around it. In the schemas here, required values are
// nested less deeply than this.
const MAX_ROUNDS = 5

export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  location: ConfigLocation,
  { unknownKeys = 'error', dropInvalid = false, confusable }: CheckOptions = {},
): CheckResult<z.output<S>> {
  const problems: ConfigProblem[] = []
  let input = value
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const parsed = schema.safeParse(input)
    if (parsed.success) return { value: parsed.data, problems }
    const issues = parsed.error.issues.flatMap(nearestIssues)
    const found = issues.flatMap((issue) => problemsOf(issue, input, { schema, location, unknownKeys, confusable }))
    // A required key that an earlier round has removed is missing now.
    problems.push(...found.filter(({ path }) => !problems.some((earlier) => earlier.path === path)))
    const wrong = issues.flatMap((issue) => {
      if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [...issue.path, key])
      return [dropInvalid ? droppedFor(input, issue.path) : []]
    })
    if (wrong.some((path) => path.length === 0)) break
    for (const path of wrong) input = without(input, path)
  }
  return { problems }
}

/** Returns `. Did you mean 'servers'?`, or an empty text if no name is similar. */
export function didYouMean(name: string, names: readonly string[]): string {
  const similar = nearestName(name, names)
  return similar === undefined ? '' : `. Did you mean '${similar}'?`
}

function nearestName(name: string, names: readonly string[]): string | undefined {
  return findSimilarTools(name, names, 1)[0] ?? names.find((one) => lettersOf(one) === lettersOf(name))
}

/**
 * Returns the sorted letters of a name, which are the same after a swap. The similarity counts a swap as two edits,
 * which is too many for a short name such as `tls`.
 */
function lettersOf(name: string): string {
  return [...name.toLowerCase()].sort().join('')
}

/**
 * Returns the unknown keys of an object that are closer to `name` than to any other name. `known` has the names of the
 * object, and `elsewhere` those of an object with which users confuse it. `name` is in one of these lists.
 */
export function misspelledKeys(
  record: Readonly<Record<string, unknown>>,
  name: string,
  known: readonly string[],
  elsewhere: readonly string[] = [],
): readonly string[] {
  const names = [...known, ...elsewhere]
  return Object.keys(record).filter((key) => !known.includes(key) && nearestName(key, names) === name)
}

function problemsOf(
  issue: Issue,
  input: unknown,
  checked: { schema: z.ZodType; location: ConfigLocation; unknownKeys: Severity; confusable: string | undefined },
): ConfigProblem[] {
  const { schema, location, unknownKeys, confusable } = checked
  if (issue.code !== 'unrecognized_keys') {
    return [problemAt(inside(location, ...issue.path), findingOf(issue, valueAt(input, issue.path)))]
  }
  const known = knownKeys(schema, issue.path)
  const isRoot = issue.path.length === 0
  const isConfused = confusable !== undefined && (isRoot || pathText(issue.path) === confusable)
  const elsewhere = isConfused ? knownKeys(schema, isRoot ? [confusable] : []) : []
  const suggestionFor = (key: string) => {
    const meant = nearestName(key, [...known, ...elsewhere])
    if (meant === undefined || known.includes(meant)) return didYouMean(key, known)
    return `. Did you mean ${isRoot ? `'${confusable}.${meant}'` : `'${meant}' beside '${confusable}'`}?`
  }
  return issue.keys.map((key) => {
    const name = cutLongText(key, 80)
    return problemAt(inside(location, ...issue.path, key), {
      severity: unknownKeys,
      kind: 'unknown-key',
      expected: `one of ${quoteList(known)}`,
      found: `'${name}'`,
      message: `Unknown key '${name}'${suggestionFor(key)}`,
    })
  })
}

function findingOf(issue: Issue, value: unknown): ConfigFinding {
  const expected = expectationOf(issue)
  if (issue.code === 'invalid_value' && typeof value === 'string' && value !== '') {
    // A setting with fixed choices is not a secret, and the quoted value helps the user.
    const found = `'${cutLongText(value, 40)}'`
    return { expected, found, message: `Expected ${expected}, found ${found}${didYouMean(value, choicesOf(issue))}` }
  }
  // A `refine` of an object can set `params.found`, because "found an object" would not explain the problem.
  if (issue.code === 'custom' && typeof issue.params?.found === 'string') return { expected, found: issue.params.found }
  // Only settings have bounds, and a setting that is a number is not a secret.
  const isSetting = typeof value === 'number' && ['too_small', 'too_big'].includes(issue.code)
  return { expected, found: isSetting ? String(value) : shapeOf(value) }
}

function expectationOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? `a ${issue.expected}`
    case 'invalid_value':
      return `one of ${quoteList(choicesOf(issue))}`
    case 'invalid_union':
      return [...new Set(issue.errors.flatMap((branch) => branch.map(expectationOf)))].join(' or ')
    case 'too_small':
      if (issue.inclusive === false) return `a number greater than ${issue.minimum}`
      return sizeText(issue.origin, 'at least', issue.minimum)
    case 'too_big':
      if (issue.inclusive === false) return `a number less than ${issue.maximum}`
      return sizeText(issue.origin, 'at most', issue.maximum)
    default:
      return issue.message
  }
}

function choicesOf(issue: z.core.$ZodIssueInvalidValue): string[] {
  return issue.values.map(String)
}

function sizeText(origin: string, bound: string, size: number | bigint): string {
  if (origin === 'string') return size === 1 ? 'a string that is not empty' : `a string of ${bound} ${size} characters`
  if (origin === 'array') return `a list of ${bound} ${itemCount(size)}`
  return `a number of ${bound} ${size}`
}

const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  object: 'an object',
  record: 'an object',
}

/**
 * Returns the issues of the union branch that the value was meant for: the only branch that accepts its type. Returns
 * the issue itself if there is no such branch.
 */
function nearestIssues(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const near = issue.errors.filter(
    (branch) => !branch.some((one) => one.path.length === 0 && ['invalid_type', 'invalid_value'].includes(one.code)),
  )
  const [branch] = near
  if (branch === undefined || near.length > 1) return [issue]
  return branch.map((one) => ({ ...one, path: [...issue.path, ...one.path] })).flatMap(nearestIssues)
}

/** The keys of the object at this path in the schema. */
export function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let reached: z.core.$ZodType[] = branchesOf(schema)
  for (const key of path) {
    reached = reached.flatMap((one) => {
      if (one instanceof z.ZodObject) return branchesOf(one.shape[String(key)])
      if (one instanceof z.ZodArray) return branchesOf(one.element)
      return one instanceof z.ZodRecord ? branchesOf(one.valueType) : []
    })
  }
  return [...new Set(reached.flatMap((one) => (one instanceof z.ZodObject ? Object.keys(one.shape) : [])))]
}

/** The branches of a union, without wrappers such as `optional`. */
function branchesOf(schema: z.core.$ZodType | undefined): z.core.$ZodType[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(branchesOf)
  if (schema instanceof z.ZodPipe) return branchesOf(schema.in)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return branchesOf(schema.unwrap())
  }
  return schema === undefined ? [] : [schema]
}

/** The path to leave out because of an issue: for a missing key, the object that needs the key. */
function droppedFor(input: unknown, path: readonly PropertyKey[]): readonly PropertyKey[] {
  return valueAt(input, path) === undefined ? path.slice(0, -1) : path
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let reached = value
  for (const key of path) {
    if (typeof reached !== 'object' || reached === null || !Object.hasOwn(reached, key)) return undefined
    reached = Reflect.get(reached, key)
  }
  return reached
}

/** Returns a copy without the value at the path. If that value is an item of a list, the whole list is removed. */
function without(value: unknown, path: readonly PropertyKey[]): unknown {
  const [key, ...rest] = path
  if (key === undefined || typeof value !== 'object' || value === null) return undefined
  const inner: unknown = Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
  const changed = rest.length === 0 ? undefined : without(inner, rest)
  if (Array.isArray(value)) return changed === undefined ? undefined : value.with(Number(key), changed)
  const kept = Object.entries(value).filter(([name]) => name !== String(key))
  return Object.fromEntries(changed === undefined ? kept : [...kept, [String(key), changed]])
}
