// Decides whether a caller may see and call a tool. Every list, search, suggestion, count and call uses this predicate.

import type { Caller } from '../core/call.ts'
import type { Rights } from '../core/rights.ts'
import type { DescribedTool, Disabled, ToolChange } from '../core/tool.ts'
import { compileRights } from './rights.ts'

/** The facts besides the tool itself that decide about its visibility. */
export interface Scope {
  /** The active context. Without one, contexts hide no tool. */
  readonly context?: string
  /** False for a caller without a session. */
  readonly hasSession?: boolean
  /** The rights of the caller. Absent: the caller has all rights. */
  readonly rights?: Rights
}

const NO_LIMITS: Scope = {}
const IN_SESSION: Scope = { hasSession: true }
const WITHOUT_SESSION: Scope = { hasSession: false }

/** The scope of a call of this caller. Most callers have all rights and no context, and share two objects. */
export function scopeOf({ rights, sessionId }: Pick<Caller, 'rights' | 'sessionId'>, { context }: Scope): Scope {
  const hasSession = sessionId !== undefined
  if (rights === undefined && context === undefined) return hasSession ? IN_SESSION : WITHOUT_SESSION
  return { hasSession, ...(context === undefined ? {} : { context }), ...(rights === undefined ? {} : { rights }) }
}

export type Visibility =
  | { readonly degree: 'visible' }
  /** Hidden from every caller, or outside the rights of this caller: the tool does not exist for it. */
  | { readonly degree: 'absent' }
  /** The tool is registered but not offered: described on request, never suggested, never called. */
  | { readonly degree: 'unexposed' }
  /** A rule disables the tool: only lists that include disabled tools show it. A call returns TOOL_DISABLED. */
  | ({ readonly degree: 'disabled' } & Disabled)
  /** The tool differs from its pin: only lists that include changed tools show it. A call returns TOOL_CHANGED. */
  | { readonly degree: 'changed'; readonly change: ToolChange }
  /** The tool is offered only in other contexts than the active one. */
  | { readonly degree: 'out-of-context'; readonly active: string; readonly contexts: readonly string[] }
  /** The tool changes a session, and the caller has no session. */
  | { readonly degree: 'no-session' }

const VISIBLE: Visibility = { degree: 'visible' }
const ABSENT: Visibility = { degree: 'absent' }
const UNEXPOSED: Visibility = { degree: 'unexposed' }
const NO_SESSION: Visibility = { degree: 'no-session' }

export function visibilityOf(tool: DescribedTool, scope: Scope): Visibility {
  // Checked first, because every other answer would reveal that the tool exists.
  if (tool.isHidden === true) return ABSENT
  if (scope.rights !== undefined && !compileRights(scope.rights).allowsTool(tool)) return ABSENT
  if (tool.unexposed === true) return UNEXPOSED
  if (tool.disabled !== undefined) return { degree: 'disabled', ...tool.disabled }
  if (tool.change?.isBlocked === true) return { degree: 'changed', change: tool.change }
  const { context: active, hasSession } = scope
  if (tool.needsSession === true && hasSession === false) return NO_SESSION
  if (active === undefined) return VISIBLE
  const contexts = tool.traits.contexts ?? []
  return contexts.length === 0 || contexts.includes(active) ? VISIBLE : { degree: 'out-of-context', active, contexts }
}

export function isVisible(tool: DescribedTool, scope: Scope): boolean {
  return visibilityOf(tool, scope).degree === 'visible'
}

/** False for a tool that is hidden or outside the rights. Such a tool is removed before any other stage sees it. */
export function existsFor(tool: DescribedTool, rights: Rights | undefined): boolean {
  return visibilityOf(tool, rights === undefined ? NO_LIMITS : { rights }).degree !== 'absent'
}
