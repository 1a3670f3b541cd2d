// Input against a JSON Schema from outside: compiled on first use, a bounded number of them kept.

import { type Dialect, type Engine, loadEngine } from './json-schema-engine.ts'
import { describeSchemaErrors } from './json-schema-issues.ts'
import { createStepCounter } from './schema-steps.ts'
import type { JsonSchema, Validation } from './tool.ts'

export interface SchemaValidator {
  /** Never changes the input, never throws: a schema that cannot be used lets everything pass and is reported. */
  validate(schema: JsonSchema, input: unknown): Promise<Validation>
}

export interface SchemaValidatorOptions {
  /** Compiled schemas kept; past that the one used longest ago is dropped (default 500). */
  readonly maxCompiled?: number
  /** Schemas of more JSON than this are not compiled (default 100,000 characters). */
  readonly maxSchemaChars?: number
  /** Told once for each schema, or part of one, that cannot be checked here. */
  onProblem?(schema: JsonSchema, reason: string): void
}

type Check = (input: unknown) => Validation

const MAX_COMPILED = 500
// The largest in use have 84,000; making code of one takes up to 10 ms for each thousand.
const MAX_SCHEMA_CHARS = 100_000
// Some 20 ms of checking, or 200 ms where all of it is wrong.
const MAX_STEPS = 200_000

export function createSchemaValidator(options: SchemaValidatorOptions = {}): SchemaValidator {
  const { maxCompiled = MAX_COMPILED, maxSchemaChars = MAX_SCHEMA_CHARS, onProblem = () => {} } = options
  const compiled = new Map<JsonSchema, Promise<Check>>()
  const engines = new Map<Dialect, Promise<Engine>>()
  let compiling: JsonSchema = {}

  const engineOf = (dialect: Dialect): Promise<Engine> => {
    const existing = engines.get(dialect)
    if (existing !== undefined) return existing
    const loading = loadEngine(dialect, (reason) => onProblem(compiling, reason))
    engines.set(dialect, loading)
    return loading
  }

  const compile = async (schema: JsonSchema): Promise<Check> => {
    try {
      const size = JSON.stringify(schema).length
      if (size > maxSchemaChars) throw new Error(`it is ${size} characters long`)
      return await compileInEither(schema)
    } catch (error) {
      onProblem(schema, `the schema cannot be used: ${error instanceof Error ? error.message : String(error)}`)
      return (value) => ({ ok: true, value })
    }
  }

  // Many servers write draft-07 without saying so, and some say draft-07 and write something newer.
  const compileInEither = async (schema: JsonSchema): Promise<Check> => {
    const dialects: readonly Dialect[] = isOldDialect(schema) ? ['draft-07', '2020-12'] : ['2020-12', 'draft-07']
    let first: unknown
    for (const dialect of dialects) {
      const engine = await engineOf(dialect)
      try {
        compiling = schema
        return checkWith(engine, schema)
      } catch (error) {
        first ??= error
      }
    }
    throw first
  }

  return {
    async validate(schema, input) {
      const check = compiled.get(schema) ?? compile(schema)
      // Set anew, so that the order of the map is the order of last use.
      compiled.delete(schema)
      compiled.set(schema, check)
      if (compiled.size > maxCompiled) {
        const [oldest] = compiled.keys()
        if (oldest !== undefined) compiled.delete(oldest)
      }
      return (await check)(input)
    },
  }
}

function checkWith(engine: Engine, schema: JsonSchema): Check {
  // The dialect is settled by the engine; a `$schema` it does not know would only make it refuse.
  const { $schema: _dialect, ...body } = schema
  if (body.$async !== undefined) throw new Error('it is asynchronous')
  const countSteps = createStepCounter(body)
  const validate = engine.compile(body)
  return (input) => {
    const passed = { ok: true, value: input } as const
    const steps = countSteps(input, MAX_STEPS)
    if (steps === undefined) return { ok: false, issues: [{ path: '', message: 'Input: nested too deeply' }] }
    // Whoever waits for another server must not wait for this one's schema: what takes too long to check is left to
    // the server that has the tool, and is no mistake of the caller's.
    if (steps >= MAX_STEPS) return passed
    const { isValid, isComplete, errors } = validate(input)
    return isValid || !isComplete ? passed : { ok: false, issues: describeSchemaErrors(errors, input) }
  }
}

function isOldDialect({ $schema }: JsonSchema): boolean {
  return typeof $schema === 'string' && /draft-0[3-7]/.test($schema)
}
