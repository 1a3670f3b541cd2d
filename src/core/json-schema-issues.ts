// Turns the errors of ajv into issues with the wording of validate.ts.

import type { ErrorObject } from 'ajv'
import { isRecord } from './is-record.ts'
import { unescapeKey } from './json-pointer.ts'
import { typeNameOf } from './show-value.ts'
import { cutLongText, quoteList } from './text.ts'
import type { ValidationIssue } from './tool.ts'
import { issueAt } from './validation-issue.ts'

const MAX_ISSUES = 50
/** The maximum number of ajv errors to read. The time to resolve unions grows with the square of their number. */
const MAX_ERRORS = 2_000

export function describeSchemaErrors(errors: readonly ErrorObject[], input: unknown): ValidationIssue[] {
  const issues = resolveUnions(errors.slice(0, MAX_ERRORS)).map((error) => toIssue(error, input))
  const seen = new Set<string>()
  const unique = issues.filter(({ message }) => !seen.has(message) && seen.add(message))
  return unique.slice(0, MAX_ISSUES)
}

function toIssue(error: ErrorObject, input: unknown): ValidationIssue {
  const keys = error.instancePath.split('/').slice(1).map(unescapeKey)
  const { params } = error
  const missing: unknown = params.missingProperty
  if (typeof missing === 'string') {
    const path = pathText([...keys, missing], input)
    return { path, message: `Required field '${path}' is missing` }
  }
  const unknown: unknown = params.additionalProperty ?? params.unevaluatedProperty
  if (typeof unknown === 'string') {
    const path = pathText([...keys, unknown], input)
    return { path, message: `Unknown field '${path}'` }
  }
  const path = pathText(keys, input)
  return issueAt(path, cutLongText(describeError(error), 300))
}

function describeError({ keyword, params, data, message = 'is not allowed' }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `expected ${[params.type].flat().join(' or ')}, received ${typeNameOf(data)}`
    case 'enum': {
      const allowed: readonly unknown[] = Array.isArray(params.allowedValues) ? params.allowedValues : []
      return `expected one of ${quoteList(allowed.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))))}`
    }
    case 'const':
      return `expected ${JSON.stringify(params.allowedValue)}`
    case 'format':
      return `is not a valid ${params.format}`
    case 'pattern':
      return `does not match the pattern ${params.pattern}`
    default:
      // The messages of ajv about limits have a plural after 1 too.
      return message.replace(/\b1 (character|item)s\b/, '1 $1').replace('1 properties', '1 property')
  }
}

/**
 * ajv reports the errors of every branch of a union. This function keeps only those of the branch that the input was
 * meant for: the only branch that accepts its type. If there is no such branch, or more than one, one error replaces
 * them all: with the possible types or constants, if there are some.
 */
function resolveUnions(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  // The outermost union comes after the errors inside it, so the last union is resolved first.
  const at = errors.findLastIndex(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  const union = errors[at]
  if (union === undefined) return errors
  const branches = new Map<string, ErrorObject[]>()
  const others: ErrorObject[] = []
  for (const error of errors.slice(0, at)) {
    const branch = branchOf(error, union)
    if (branch === undefined) others.push(error)
    else branches.set(branch, [...(branches.get(branch) ?? []), error])
  }
  const fitting = [...branches.values()].filter((branch) => !branch.some((error) => isTypeError(error, union)))
  const only = fitting.length === 1 ? fitting[0] : undefined
  const resolved = only === undefined ? [summarizeUnion(union, [...branches.values()].flat())] : resolveUnions(only)
  return [...resolveUnions(others), ...resolved, ...errors.slice(at + 1)]
}

/** The branch that an error belongs to: the number in its path or, behind a reference, the name of the definition. */
function branchOf(error: ErrorObject, union: ErrorObject): string | undefined {
  const isInside = error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`)
  if (!isInside) return undefined
  const prefix = `${union.schemaPath}/`
  if (error.schemaPath.startsWith(prefix)) return error.schemaPath.slice(prefix.length).split('/', 1)[0]
  return /^#\/(?:\$defs|definitions)\/[^/]+/.exec(error.schemaPath)?.[0]
}

/** Whether a branch refuses the type of the value that the union is for. */
function isTypeError(error: ErrorObject, union: ErrorObject): boolean {
  return error.keyword === 'type' && error.instancePath === union.instancePath
}

function summarizeUnion(union: ErrorObject, inside: readonly ErrorObject[]): ErrorObject {
  const types = inside.filter((error) => isTypeError(error, union)).flatMap(({ params }) => [params.type].flat())
  if (types.length > 0) return { ...union, keyword: 'type', params: { type: [...new Set(types)] } }
  const consts = inside.filter((error) => error.keyword === 'const' && error.instancePath === union.instancePath)
  if (consts.length > 0) {
    return { ...union, keyword: 'enum', params: { allowedValues: consts.map(({ params }) => params.allowedValue) } }
  }
  return { ...union, keyword: 'fits', message: 'fits none of the forms that the schema allows' }
}

/** `items[0].price`. The input shows which keys are positions in a list. */
function pathText(keys: readonly string[], input: unknown): string {
  let text = ''
  let at = input
  for (const key of keys) {
    if (Array.isArray(at)) {
      text += `[${key}]`
      at = at[Number(key)]
    } else {
      text += `${text === '' ? '' : '.'}${cutLongText(key, 80)}`
      at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined
    }
  }
  return cutLongText(text, 200)
}
