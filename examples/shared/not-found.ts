// The failure for an unknown id, with the nearest known id and the call that lists the ids.

import { type FailureResult, failure, findSimilarTools } from 'toolcrib'

/** `nextSteps` has a sentence for each kind of record: the call that finds its ids. */
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
