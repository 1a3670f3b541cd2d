// The failure for an unknown id, with the nearest known ids and the call that lists them.

import { type FailureResult, failure, findSimilarTools } from 'toolcrib'

/** The kinds of records of one server, each with the call that lists its ids. */
export function notFoundFor<K extends string>(nextSteps: Readonly<Record<K, string>>) {
  return (kind: K, id: string, known: Iterable<string>): FailureResult => {
    const [nearest] = findSimilarTools(id, known, 1)
    return failure({
      code: `${kind.toUpperCase()}_NOT_FOUND`,
      message: `No ${kind} '${id}'`,
      suggestion: nearest === undefined ? nextSteps[kind] : `Did you mean '${nearest}'? ${nextSteps[kind]}`,
    })
  }
}
