// ajv as schemas from outside need it: no expression that backtracks, and an end to the work on texts.

import type { ErrorObject, Format, Options } from 'ajv'
import type { JsonSchema } from './tool.ts'

export type Dialect = 'draft-07' | '2020-12'

export interface Checked {
  readonly isValid: boolean
  /** False where not all could be looked at: patterns and formats took too long, or the stack was too small. */
  readonly isComplete: boolean
  readonly errors: readonly ErrorObject[]
}

export interface Engine {
  /** Throws for a schema that it cannot read. */
  compile(schema: JsonSchema): (input: unknown) => Checked
}

// Characters times instructions: some 50 ms of matching.
const MAX_TEXT_WORK = 500_000
// Formats are expressions that backtrack; the worst of them takes the square of the length.
const FORMAT_WORK = 1 / 16
/** Instructions of all patterns of one schema; making as many takes a fifth of a second. */
const MAX_PATTERN_SIZE = 10_000

export async function loadEngine(dialect: Dialect, onProblem: (reason: string) => void): Promise<Engine> {
  const [{ Ajv }, { Ajv2020 }, { default: formats }, { RE2JS }] = await Promise.all([
    import('ajv'),
    import('ajv/dist/2020.js'),
    import('ajv-formats'),
    import('re2js'),
  ])
  let patternRoom = 0
  let textRoom = 0
  const hasRoomFor = (work: number): boolean => {
    textRoom -= work
    return textRoom >= 0
  }

  // ajv tells patterns apart by their toString.
  const compilePattern = (pattern: string) => {
    try {
      if (patternRoom <= 0) throw new Error('too many')
      const compiled = RE2JS.compile(pattern)
      const size = compiled.programSize()
      patternRoom -= size
      const test = (text: string) => !hasRoomFor(text.length * size) || compiled.matcher(text).find()
      return { test, toString: () => `linear:${pattern}` }
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
    // Keys of a definition that is copied to where it is used, which errors are told better by; without a limit code
    // grows with the square of the schema.
    inlineRefs: 15,
    // Optimizing takes most of the time of compiling.
    code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }), optimize: false },
  }
  const engine = dialect === 'draft-07' ? new Ajv(settings) : new Ajv2020(settings)
  // ajv-formats is written in CommonJS; its types see the module where the plugin is.
  const addFormats = formats as unknown as (to: typeof engine) => unknown
  addFormats(engine)
  for (const [name, format] of Object.entries(engine.formats)) {
    const test = format === undefined ? undefined : testOf(format)
    if (test === undefined) continue
    engine.addFormat(name, (text: string) => !hasRoomFor(text.length ** 2 * FORMAT_WORK) || test(text))
  }

  return {
    compile(schema) {
      patternRoom = MAX_PATTERN_SIZE
      const validate = engine.compile(schema)
      // The engine keeps what it compiles for ever; how long a check is kept is for its user to say.
      engine.removeSchema(schema)
      return (input) => {
        textRoom = MAX_TEXT_WORK
        try {
          const isValid = validate(input) === true
          return { isValid, isComplete: textRoom >= 0, errors: validate.errors ?? [] }
        } catch (error) {
          // Code of a large schema can be too deep for whatever input.
          if (!(error instanceof RangeError)) throw error
          return { isValid: false, isComplete: false, errors: [] }
        }
      }
    },
  }
}

/** Of a format for texts; undefined for one of numbers, which takes no time, and for one that checks nothing. */
function testOf(format: Format): ((text: string) => boolean) | undefined {
  if (format instanceof RegExp) return (text) => format.test(text)
  if (typeof format === 'function') return format
  if (typeof format !== 'object' || format.type === 'number' || format.async === true) return undefined
  const { validate } = format
  // One of texts, as its type says.
  if (typeof validate === 'function') return validate as (text: string) => boolean
  const pattern = typeof validate === 'string' ? new RegExp(validate, 'u') : validate
  return (text) => pattern.test(text)
}
