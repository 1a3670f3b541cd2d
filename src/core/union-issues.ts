// Says what a union expects, from the errors of its branches: with the same words for zod types and JSON Schemas.

import { quoteList, typeNameOf } from './text.ts'

/** The types or values that a failed schema expects. Both lists are empty if the fault is a part of the value. */
export interface Expectation {
  /** The expected types, if the schema refuses the type of the value. */
  readonly types: readonly string[]
  /** The only values that the schema allows. */
  readonly constants: readonly unknown[]
}

export const NO_FORM = 'fits none of the forms that the schema allows'

/** Whether the failed schema accepts the type of the value, but not this value. */
export function acceptsType({ types, constants }: Expectation, value: unknown): boolean {
  if (types.length > 0) return false
  return constants.length === 0 || constants.some((one) => typeNameOf(one) === typeNameOf(value))
}

/**
 * The types or values that a union expects after all of its branches failed. If a branch accepts the type of the value,
 * the value was meant for it, so the types of the other branches are left out.
 */
export function expectationOf(branches: readonly Expectation[], value: unknown): Expectation {
  const fitting = branches.filter((branch) => acceptsType(branch, value))
  const meant = fitting.length > 0 ? fitting : branches
  if (meant.some(({ types }) => types.length > 0)) {
    const types = meant.flatMap(({ types, constants }) => (types.length > 0 ? types : constants.map(typeNameOf)))
    return { types: [...new Set(types)], constants: [] }
  }
  const isOneOf = meant.every(({ constants }) => constants.length > 0)
  return { types: [], constants: isOneOf ? [...new Set(meant.flatMap(({ constants }) => constants))] : [] }
}

/** `expected one of 'a', 'b', '3'` */
export function expectedOneOf(constants: readonly unknown[]): string {
  const texts = constants.map((one) => (typeof one === 'object' ? JSON.stringify(one) : String(one)))
  return `expected one of ${quoteList(texts)}`
}
