// Configures ajv for schemas from outside: patterns are matched without backtracking, and the work on texts is limited.

import type { ErrorObject, Format, Options } from 'ajv'
import type { JsonSchema } from './tool.ts'

export type SchemaDialect = 'draft-07' | '2020-12'

interface SchemaCheck {
  readonly isValid: boolean
  /** False if the check stopped early: patterns and formats took too long, or the stack was too small. */
  readonly isComplete: boolean
  readonly errors: readonly ErrorObject[]
}

export interface Engine {
  /** Throws if it cannot read the schema. */
  compile(schema: JsonSchema): (input: unknown) => SchemaCheck
}

// The maximum of characters times instructions in one check: about 50 ms of matching.
const MAX_TEXT_WORK = 500_000
// The work of a format per squared character: formats are regular expressions that backtrack, and the time of the worst
// one grows with the square of the length.
const FORMAT_WORK = 1 / 16
/**
 * When the patterns of one schema have this many instructions, its further patterns are not checked. Compiling that
 * many takes a fifth of a second.
 */
const MAX_PATTERN_SIZE = 10_000

export async function loadEngine(dialect: SchemaDialect, onProblem: (reason: string) => void): Promise<Engine> {
  const [{ Ajv }, { Ajv2020 }, { default: formats }, { RE2JS }] = await Promise.all([
    import('ajv'),
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
    import('re2js'),
  ])
  const budget = createBudget()
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
  const engine = dialect === 'draft-07' ? new Ajv(settings) : new Ajv2020(settings)
  // ajv-formats is CommonJS: its types describe the module instead of the plugin.
  const addFormats = formats as unknown as (to: typeof engine) => unknown
  addFormats(engine)
  for (const [name, format] of Object.entries(engine.formats)) {
    const test = format === undefined ? undefined : testOf(format)
    if (test === undefined) continue
    engine.addFormat(name, (text: string) => !budget.spendTextWork(text.length ** 2 * FORMAT_WORK) || test(text))
  }

  return {
    compile(schema) {
      budget.patternSizeLeft = MAX_PATTERN_SIZE
      const validate = engine.compile(schema)
      // ajv keeps compiled schemas forever. The caller of this function decides how long to keep a check.
      engine.removeSchema(schema)
      return (input) => {
        budget.textWorkLeft = MAX_TEXT_WORK
        try {
          const isValid = validate(input) === true
          return { isValid, isComplete: budget.textWorkLeft >= 0, errors: validate.errors ?? [] }
        } catch (error) {
          // The generated code of a large schema can overflow the stack for any input.
          if (!(error instanceof RangeError)) throw error
          return { isValid: false, isComplete: false, errors: [] }
        }
      }
    },
  }
}

/** The work that is left for the current schema and the current check. One engine compiles and checks one at a time. */
interface Budget {
  /** The number of instructions that further patterns of the current schema may have. */
  patternSizeLeft: number
  /** The work on texts that the current check may still do. */
  textWorkLeft: number
  /** False if the check must not do this work. */
  spendTextWork(work: number): boolean
}

function createBudget(): Budget {
  return {
    patternSizeLeft: 0,
    textWorkLeft: 0,
    spendTextWork(work) {
      this.textWorkLeft -= work
      return this.textWorkLeft >= 0
    },
  }
}

interface CompiledPattern {
  test(text: string): boolean
  /** ajv identifies patterns by this text. */
  toString(): string
}

function createPatternCompiler(
  RE2JS: typeof import('re2js').RE2JS,
  budget: Budget,
  onProblem: (reason: string) => void,
): (pattern: string) => CompiledPattern {
  return (pattern) => {
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

/**
 * Returns the test of a text format. Undefined for number formats, which take no time, for asynchronous formats, and
 * for formats that check nothing.
 */
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
