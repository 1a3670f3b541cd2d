// Validates input against a JSON Schema from outside. Schemas are compiled on first use and kept in a bounded cache.

import { getOrMake, setNewest } from './collections.ts'
import { type CompileSchema, loadEngine, type SchemaDialect } from './json-schema-engine.ts'
import { createStepCounter } from './schema-steps.ts'
import { messageOf } from './text.ts'
import type { JsonSchema, Validation } from './tool.ts'
import { issueAt } from './validation-issue.ts'

export interface SchemaValidator {
  /** Loads the code for the most common dialect, so that the first check does not have to. */
  prepare(): Promise<void>
  /**
   * Never changes the input and never throws. If a schema cannot be used, this is reported, and every input is
   * accepted. Returns a promise only if the schema must be compiled first.
   */
  validate(schema: JsonSchema, input: unknown): Validation | Promise<Validation>
}

interface SchemaValidatorOptions {
  /** The number of compiled schemas to keep. Above it, the least recently used one is dropped (default 500). */
  readonly maxCompiled?: number
  /** Called when a schema is compiled, for the schema or for each part of it that cannot be checked here. */
  onProblem?(schema: JsonSchema, reason: string): void
}

type CompiledCheck = ReturnType<CompileSchema>

// The largest schemas in use have 84,000 characters. Compiling takes up to 10 ms for each thousand.
const MAX_SCHEMA_CHARS = 100_000
// About 20 ms of checking, or 200 ms if every value is invalid.
const MAX_STEPS = 200_000

export function createSchemaValidator(options: SchemaValidatorOptions = {}): SchemaValidator {
  const { maxCompiled = 500, onProblem = () => {} } = options
  const compiled = new Map<JsonSchema, CompiledCheck | Promise<CompiledCheck>>()
  const engines = new Map<SchemaDialect, Promise<CompileSchema>>()
  /** The schema to report if the engine finds a problem. */
  let compiling: JsonSchema = {}

  const compile = async (schema: JsonSchema): Promise<CompiledCheck> => {
    try {
      const size = JSON.stringify(schema).length
      if (size > MAX_SCHEMA_CHARS) throw new Error(`it is ${size} characters long`)
      return await compileInEitherDialect(schema)
    } catch (error) {
      onProblem(schema, `the schema cannot be used: ${messageOf(error)}`)
      return (value) => ({ ok: true, value })
    }
  }

  // Many servers write draft-07 without a `$schema`, and some declare draft-07 but use newer keywords.
  const compileInEitherDialect = async (schema: JsonSchema): Promise<CompiledCheck> => {
    const dialects: readonly SchemaDialect[] = isOldDialect(schema) ? ['draft-07', '2020-12'] : ['2020-12', 'draft-07']
    let firstError: unknown
    for (const dialect of dialects) {
      const load = () => loadEngine(dialect, (reason) => onProblem(compiling, reason))
      const compileSchema = await getOrMake(engines, dialect, load)
      try {
        compiling = schema
        return createCheck(compileSchema, schema)
      } catch (error) {
        firstError ??= error
      }
    }
    throw firstError
  }

  const compileFirst = (schema: JsonSchema): Promise<CompiledCheck> => {
    const pending = compile(schema).then((check) => {
      // A later check needs no promise, unless the schema was dropped meanwhile.
      if (compiled.get(schema) === pending) compiled.set(schema, check)
      return check
    })
    return pending
  }

  let prepared: Promise<void> | undefined
  return {
    prepare() {
      prepared ??= compile({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }).then(
        (check) => void check({}),
      )
      return prepared
    },
    validate(schema, input) {
      const known = compiled.get(schema)
      const check = known ?? compileFirst(schema)
      // The order of the map matters only when schemas must be dropped soon.
      if (known === undefined || compiled.size > maxCompiled / 2) setNewest(compiled, schema, check, maxCompiled)
      return typeof check === 'function' ? check(input) : check.then((ready) => ready(input))
    },
  }
}

function createCheck(compileSchema: CompileSchema, schema: JsonSchema): CompiledCheck {
  // The engine already determines the dialect. ajv would refuse a `$schema` that it does not know.
  const { $schema: _dialect, ...body } = schema
  if (body.$async !== undefined) throw new Error('it is asynchronous')
  const countSteps = createStepCounter(body)
  const validate = compileSchema(body)
  return (input) => {
    const steps = countSteps(input, MAX_STEPS)
    if (steps === undefined) return { ok: false, issues: [issueAt('', 'nested too deeply')] }
    // A slow schema must not block the calls of other servers. If the check would take too long, the server that owns
    // the tool checks the input, and the caller gets no error here.
    return steps >= MAX_STEPS ? { ok: true, value: input } : validate(input)
  }
}

function isOldDialect({ $schema }: JsonSchema): boolean {
  return typeof $schema === 'string' && /draft-0[3-7]/.test($schema)
}
