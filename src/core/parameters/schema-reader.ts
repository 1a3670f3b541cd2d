// Reads parts of one JSON Schema document: the forms that they accept, and their description, default and examples.

import { getOrMake } from '../collections.ts'
import { isRecord } from '../is-record.ts'
import type { JsonSchema } from '../tool.ts'
import { behindAlias, branchesOf, type SchemaWalk } from './schema-branches.ts'
import { type Form, formsOfPlain } from './schema-form.ts'

export interface Reading {
  /** A value fits one of these. The same definition has the same array, so that recursion can be detected. */
  readonly forms: readonly Form[]
  /** Whether the forms say everything that the schema says. */
  readonly isWhole: boolean
  readonly description: string | undefined
  readonly default: unknown
  readonly examples: readonly unknown[]
}

export type ReadSchema = (schema: unknown) => Reading

const MAX_STEPS = 2_000

/** Reads each part of a document only once. */
export function createSchemaReader(root: unknown): ReadSchema {
  const walk: SchemaWalk = { root, stepsLeft: MAX_STEPS }
  const forms = new Map<unknown, ReadForms>()
  const readings = new Map<unknown, Reading>()
  const readForms = (schema: unknown): ReadForms => {
    const { plain, isWhole } = branchesOf(schema, walk)
    const isIncomplete = plain.some((one) => UNSUPPORTED_KEYWORDS.some((keyword) => Object.hasOwn(one, keyword)))
    return { forms: plain.flatMap(formsOfPlain), isWhole: isWhole && !isIncomplete }
  }
  return (schema) =>
    getOrMake(readings, schema, () => {
      const target = behindAlias(schema, root)
      const found = getOrMake(forms, target, () => readForms(target))
      return withAnnotations(found, schema, target)
    })
}

type ReadForms = Pick<Reading, 'forms' | 'isWhole'>

/** Keywords that the forms cannot express. */
const UNSUPPORTED_KEYWORDS = 'not if contains dependentRequired dependentSchemas dependencies $dynamicRef'.split(' ')

/** Adds the annotations: those next to the reference, else those of its target. */
function withAnnotations({ forms, isWhole }: ReadForms, schema: unknown, target: unknown): Reading {
  const [near, far] = [isRecord(schema) ? schema : NOTHING, isRecord(target) ? target : NOTHING]
  const description = near.description ?? far.description
  const examples = near.examples ?? far.examples
  const example = near.example ?? far.example
  return {
    forms,
    isWhole,
    description: typeof description === 'string' ? description : undefined,
    default: near.default === undefined ? far.default : near.default,
    examples: Array.isArray(examples) ? examples : example === undefined ? [] : [example],
  }
}

const NOTHING: JsonSchema = {}
