// The failure of an id that is on no record: the nearest ones that are, and the call that lists them.

import { type FailureResult, failure, findSimilarTools } from 'toolcrib'

/** For one server: each kind of record, and what to do to find its ids. */
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
