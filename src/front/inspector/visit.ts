// One request to the data of the inspector: its caller and the view of that caller.

import type { Caller } from '../../core/call.ts'
import type { Tool } from '../../core/tool.ts'
import type { View } from '../../disclosure/view.ts'

export interface Visit {
  readonly caller: Caller
  readonly view: View
  /** False for a caller with limited rights, which sees no configuration and only its own calls. */
  readonly isUnlimited: boolean
  readonly query: URLSearchParams
  readonly body: unknown
  readonly signal: AbortSignal
}

/** The reason why a request gets no data. The page shows the message. */
interface Refused {
  readonly status: 400 | 403 | 404 | 405 | 503
  readonly code?: string
  readonly message: string
  readonly fix?: string
}

/** Thrown by a handler that cannot answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly refused: Refused

  constructor(refused: Refused) {
    super(refused.message)
    this.refused = refused
  }
}

/**
 * The tools that the caller may know about. A caller with limited rights gets those that it can call. Other callers
 * also get the tools that rules disable, and those that differ from their pin.
 */
export function toolsOf({ view, isUnlimited }: Pick<Visit, 'view' | 'isUnlimited'>): readonly Tool[] {
  const { visible, known } = view
  if (!isUnlimited) return visible.tools
  return known.tools.filter(
    (tool) => tool.disabled !== undefined || tool.change !== undefined || visible.get(tool.id) !== undefined,
  )
}
