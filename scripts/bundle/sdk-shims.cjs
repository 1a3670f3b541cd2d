// Replaces the module `_shims` of the official SDK in the bundle. The client and the server of the SDK contain a copy of
// ajv each; with this module both use the ajv of the bundle. It is CommonJS, so that ajv is loaded with the first schema.

/** Validates as the validator of the SDK does: with one engine for each dialect. */
class DefaultJsonSchemaValidator {
  #engines = new Map()

  getValidator(schema) {
    const engine = this.#engineOf(dialectOf(schema))
    const known = typeof schema.$id === 'string' ? engine.getSchema(schema.$id) : undefined
    const validate = known ?? engine.compile(schema)
    return (input) =>
      validate(input)
        ? { valid: true, data: input, errorMessage: undefined }
        : { valid: false, data: undefined, errorMessage: engine.errorsText(validate.errors) }
  }

  #engineOf(dialect) {
    const made = this.#engines.get(dialect)
    if (made !== undefined) return made
    const Engine = ENGINES[dialect]()
    const engine = new Engine({ strict: false, validateFormats: true, validateSchema: false, allErrors: true })
    require('ajv-formats').default(engine)
    this.#engines.set(dialect, engine)
    return engine
  }
}

const ENGINES = {
  '2020-12': () => require('ajv/dist/2020.js').Ajv2020,
  '2019-09': () => require('ajv/dist/2019.js').Ajv2019,
  'draft-07': () => require('ajv').Ajv,
  'draft-06': () => require('ajv').Ajv,
}

function dialectOf({ $schema }) {
  if (typeof $schema !== 'string') return '2020-12'
  const [, dialect] = /^https?:\/\/json-schema\.org\/(?:draft\/|(?=draft-))(.+?)\/schema#?$/.exec($schema) ?? []
  if (dialect !== undefined && Object.hasOwn(ENGINES, dialect)) return dialect
  const shown = JSON.stringify($schema.slice(0, 200))
  throw new Error(`The JSON Schema has an unknown dialect (${shown}). Use 2020-12, 2019-09, draft-07 or draft-06.`)
}

module.exports = { CORS_IS_POSSIBLE: false, DefaultJsonSchemaValidator, process: require('node:process') }
