// Input against a JSON Schema from outside: compiled on first use, a bounded number of them kept.

import type { Options, ValidateFunction } from 'ajv'
import { describeSchemaErrors } from './json-schema-issues.ts'
import type { JsonSchema, Validation } from './tool.ts'

export interface SchemaValidator {
  /** Never changes the input, never throws: a schema that cannot be used lets everything pass and is reported. */
  validate(schema: JsonSchema, input: unknown): Promise<Validation>
}

export interface SchemaValidatorOptions {
  /** Compiled schemas kept; past that the one used longest ago is dropped (default 500). */
  readonly maxCompiled?: number
  /** Schemas of more JSON than this are not compiled (default 262,144 characters). */
  readonly maxSchemaChars?: number
  /** Told once for each schema, or part of one, that cannot be checked here. */
  onProblem?(schema: JsonSchema, reason: string): void
}

interface Engine {
  compile(schema: JsonSchema): ValidateFunction
  removeSchema(schema: JsonSchema): unknown
}

type Dialect = 'draft-07' | '2020-12'
type Check = (input: unknown) => Validation

const MAX_COMPILED = 500
const MAX_SCHEMA_CHARS = 262_144

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
  const validate = engine.compile(body)
  // The engine keeps what it compiles for ever; the map above decides that here.
  engine.removeSchema(body)
  return (input) => {
    try {
      if (validate(input) === true) return { ok: true, value: input }
      return { ok: false, issues: describeSchemaErrors(validate.errors ?? [], input) }
    } catch (error) {
      // Only a recursive schema on hostile input goes that deep.
      if (!(error instanceof RangeError)) throw error
      return { ok: false, issues: [{ path: '', message: 'Input: nested too deeply' }] }
    }
  }
}

function isOldDialect({ $schema }: JsonSchema): boolean {
  return typeof $schema === 'string' && /draft-0[3-7]/.test($schema)
}

async function loadEngine(dialect: Dialect, onProblem: (reason: string) => void): Promise<Engine> {
  const [{ Ajv }, { Ajv2020 }, { default: formats }, { RE2JS }] = await Promise.all([
    import('ajv'),
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
    import('re2js'),
  ])
  // ajv tells patterns apart by their toString.
  const compilePattern = (pattern: string) => {
    try {
      const matcher = RE2JS.compile(pattern)
      return { test: (text: string) => matcher.matcher(text).find(), toString: () => `linear:${pattern}` }
    } catch {
      // A backtracking engine would let one server hang the rest: what the linear one cannot read is left to the server.
      onProblem(`the pattern ${JSON.stringify(pattern)} is not checked here`)
      return { test: () => true, toString: () => `unchecked:${pattern}` }
    }
  }
  const settings: Options = {
    strict: false,
    allErrors: true,
    verbose: true,
    // Without it `constructor` counts as a field that was sent.
    ownProperties: true,
    // Two servers may well use the same `$id`.
    addUsedSchema: false,
    logger: false,
    code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
  }
  const engine = dialect === 'draft-07' ? new Ajv(settings) : new Ajv2020(settings)
  // ajv-formats is written in CommonJS; its types see the module where the plugin is.
  const addFormats = formats as unknown as (to: typeof engine) => unknown
  addFormats(engine)
  return engine
}
