// Validates with ajv against schemas from outside: in bounded time, and with the same wording of issues as validate.ts.

import type { ErrorObject, Format, Options } from 'ajv'
import { groupBy } from './collections.ts'
import { isRecord } from './is-record.ts'
import { listOf, unescapeKey } from './json.ts'
import { cutLongText, typeNameOf } from './text.ts'
import type { JsonSchema, Validation, ValidationIssue } from './tool.ts'
import { acceptsType, type Expectation, expectationOf, expectedOneOf, NO_FORM } from './union-issues.ts'
import { issueAt } from './validation-issue.ts'

export type SchemaDialect = 'draft-07' | '2020-12'

/** Throws if ajv cannot read the schema. */
export type CompileSchema = (schema: JsonSchema) => (input: unknown) => Validation

// The maximum of characters times instructions in one check: about 50 ms of matching.
const MAX_TEXT_WORK = 500_000
// The work of a format per squared character: the time of the slowest format grows with the square of the length.
const FORMAT_WORK = 1 / 16
/** When the patterns of a schema have this many instructions (0.2 s of compiling), further ones are not checked. */
const MAX_PATTERN_SIZE = 10_000

export async function loadEngine(dialect: SchemaDialect, onProblem: (reason: string) => void): Promise<CompileSchema> {
  const [{ Ajv }, { Ajv2020 }, { default: formats }, { RE2JS }] = await Promise.all([
    import('ajv'),
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
    import('re2js'),
  ])
  const budget = new Budget()
  const settings: Options = {
    strict: false,
    allErrors: true,
    verbose: true,
    // Without this, an inherited name such as `constructor` counts as a field that was sent.
    ownProperties: true,
    // Two servers may use the same `$id`.
    addUsedSchema: false,
    logger: false,
    // Definitions with up to this many keys are copied to where they are used, which gives better errors. Without the
    // limit the code grows with the square of the schema.
    inlineRefs: 15,
    code: {
      regExp: Object.assign(createPatternCompiler(RE2JS, budget, onProblem), { code: 'compilePattern' }),
      // Optimizing takes most of the compile time.
      optimize: false,
    },
  }
  const createEngine = (options?: Options) => {
    const all = { ...settings, ...options }
    const engine = dialect === 'draft-07' ? new Ajv(all) : new Ajv2020(all)
    // ajv-formats is CommonJS: its types describe the module instead of the plugin.
    const addFormats = formats as unknown as (to: typeof engine) => unknown
    addFormats(engine)
    for (const [name, format] of Object.entries(engine.formats)) {
      const test = format === undefined ? undefined : testOf(format)
      if (test === undefined) continue
      engine.addFormat(name, (text: string) => !budget.spendTextWork(text.length ** 2 * FORMAT_WORK) || test(text))
    }
    return engine
  }
  // Compiling the metaschema takes several milliseconds, so one engine checks all schemas.
  const metaEngine = createEngine()

  return (schema) => {
    budget.patternSizeLeft = MAX_PATTERN_SIZE
    metaEngine.validateSchema(schema, true)
    // An engine keeps every schema and function that it has compiled, so each schema gets its own engine. The caller of
    // this function decides how long to keep a check.
    const validate = createEngine({ validateSchema: false }).compile(schema)
    return (input) => {
      budget.textWorkLeft = MAX_TEXT_WORK
      const passed = { ok: true, value: input } as const
      try {
        // If patterns and formats took too long, the server that owns the tool checks the input.
        if (validate(input) === true || budget.textWorkLeft < 0) return passed
        return { ok: false, issues: describeErrors(validate.errors ?? [], input) }
      } catch (error) {
        // The generated code of a large schema can overflow the stack for any input.
        if (!(error instanceof RangeError)) throw error
        return passed
      }
    }
  }
}

/** The work that is left for the current schema and the current check. One engine compiles and checks one at a time. */
class Budget {
  /** The number of instructions that further patterns of the current schema may have. */
  patternSizeLeft = 0
  /** The work on texts that the current check may still do. */
  textWorkLeft = 0

  /** Counts the work. Returns false if the check must not do it. */
  spendTextWork(work: number): boolean {
    this.textWorkLeft -= work
    return this.textWorkLeft >= 0
  }
}

/** Returns a function that compiles patterns for ajv, which identifies a compiled pattern by its `toString`. */
function createPatternCompiler(
  RE2JS: typeof import('re2js').RE2JS,
  budget: Budget,
  onProblem: (reason: string) => void,
) {
  return (pattern: string) => {
    try {
      if (budget.patternSizeLeft <= 0) throw new Error('too many')
      const compiled = RE2JS.compile(pattern)
      const size = compiled.programSize()
      budget.patternSizeLeft -= size
      const test = (text: string) => !budget.spendTextWork(text.length * size) || compiled.matcher(text).find()
      return { test, toString: () => `linear:${pattern}` }
    } catch {
      // A backtracking engine would let one server block all others. If the linear engine cannot read a pattern, or if
      // the schema has too many, the server checks the pattern.
      onProblem(`the pattern ${JSON.stringify(pattern)} is not checked here`)
      return { test: () => true, toString: () => `unchecked:${pattern}` }
    }
  }
}

/** The test of a text format. Undefined for number formats, asynchronous formats and formats that check nothing. */
function testOf(format: Format): ((text: string) => boolean) | undefined {
  if (format instanceof RegExp) return (text) => format.test(text)
  if (typeof format === 'function') return format
  if (typeof format !== 'object' || format.type === 'number' || format.async === true) return undefined
  const { validate } = format
  // `format.type` is not `number`, so the function takes a string.
  if (typeof validate === 'function') return validate as (text: string) => boolean
  const pattern = typeof validate === 'string' ? new RegExp(validate, 'u') : validate
  return (text) => pattern.test(text)
}

const MAX_ISSUES = 50
/** The maximum number of ajv errors to read. The time to resolve unions grows with the square of their number. */
const MAX_ERRORS = 2_000

function describeErrors(errors: readonly ErrorObject[], input: unknown): ValidationIssue[] {
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
    case 'enum':
      return expectedOneOf(listOf(params.allowedValues))
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
 * meant for: the only branch that accepts its type. If no branch or several branches accept it, one error replaces all
 * of them and names the possible types or constants, if there are any.
 */
function resolveUnions(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  // The outermost union comes after the errors inside it, so the last union is resolved first.
  const at = errors.findLastIndex(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  const union = errors[at]
  if (union === undefined) return errors
  const byBranch = groupBy(errors.slice(0, at), (error) => branchOf(error, union))
  const others = byBranch.get(undefined) ?? []
  byBranch.delete(undefined)
  return [...resolveUnions(others), ...resolveUnion(union, [...byBranch.values()]), ...errors.slice(at + 1)]
}

function resolveUnion(union: ErrorObject, failed: readonly (readonly ErrorObject[])[]): readonly ErrorObject[] {
  // If a value fits two branches of a `oneOf`, the errors of its other branches say nothing about the fault.
  if (Array.isArray(union.params.passingSchemas)) {
    return [{ ...union, keyword: 'fits', message: 'fits several forms, but the schema allows only one' }]
  }
  const branches = failed.map((errors) => {
    const resolved = resolveUnions(errors)
    return { errors: resolved, ...expectationIn(resolved, union) }
  })
  const fitting = branches.filter((branch) => acceptsType(branch, union.data))
  return fitting.length === 1 && fitting[0] !== undefined ? fitting[0].errors : [summarizeUnion(union, branches)]
}

/** The branch that an error belongs to: the number in its path or, behind a reference, the name of the definition. */
function branchOf(error: ErrorObject, union: ErrorObject): string | undefined {
  const isInside = error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`)
  if (!isInside) return undefined
  const prefix = `${union.schemaPath}/`
  if (error.schemaPath.startsWith(prefix)) return error.schemaPath.slice(prefix.length).split('/', 1)[0]
  return /^#\/(?:\$defs|definitions)\/[^/]+/.exec(error.schemaPath)?.[0]
}

/** Reads the errors about the union's value itself, and not those about its parts. */
function expectationIn(errors: readonly ErrorObject[], union: ErrorObject): Expectation {
  const own = errors.filter(({ instancePath }) => instancePath === union.instancePath)
  return {
    types: own.flatMap(({ keyword, params }) => (keyword === 'type' ? [params.type].flat() : [])),
    constants: own.flatMap(({ keyword, params }) => {
      if (keyword === 'const') return [params.allowedValue]
      return keyword === 'enum' ? listOf(params.allowedValues) : []
    }),
  }
}

function summarizeUnion(union: ErrorObject, branches: readonly Expectation[]): ErrorObject {
  const { types, constants } = expectationOf(branches, union.data)
  if (types.length > 0) return { ...union, keyword: 'type', params: { type: types } }
  if (constants.length > 0) return { ...union, keyword: 'enum', params: { allowedValues: constants } }
  return { ...union, keyword: 'fits', message: NO_FORM }
}

/** Writes a path such as `items[0].price`. The input shows which keys are positions in a list. */
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
