// The one visibility predicate. Every list, search, suggestion, count and call asks here and nowhere else.

import type { DescribedTool, Disabled } from '../core/tool.ts'

/** What decides besides the tool itself. */
export interface Scope {
  /** The active context; with none, contexts hide nothing. */
  readonly context?: string
  /** False for callers of a protocol without sessions. */
  readonly hasSession?: boolean
}

export type Visibility =
  | { readonly degree: 'visible' }
  /** Registered but not offered: described on request, never suggested, never called. */
  | { readonly degree: 'unexposed' }
  /** Switched off by a rule: absent from every list and count, TOOL_DISABLED when called. */
  | ({ readonly degree: 'disabled' } & Disabled)
  /** Offered in other contexts than the active one. */
  | { readonly degree: 'out-of-context'; readonly active: string; readonly contexts: readonly string[] }
  /** It changes a session, and the caller has none. */
  | { readonly degree: 'no-session' }

const VISIBLE: Visibility = { degree: 'visible' }
const UNEXPOSED: Visibility = { degree: 'unexposed' }
const NO_SESSION: Visibility = { degree: 'no-session' }

export function visibilityOf(tool: DescribedTool, scope: Scope): Visibility {
  if (tool.unexposed === true) return UNEXPOSED
  if (tool.disabled !== undefined) return { degree: 'disabled', ...tool.disabled }
  const { context: active, hasSession } = scope
  if (tool.needsSession === true && hasSession === false) return NO_SESSION
  if (active === undefined) return VISIBLE
  const contexts = tool.traits.contexts ?? []
  return contexts.length === 0 || contexts.includes(active) ? VISIBLE : { degree: 'out-of-context', active, contexts }
}

export function isVisible(tool: DescribedTool, scope: Scope): boolean {
  return visibilityOf(tool, scope).degree === 'visible'
}
