// Resolves the reference of a caller to a tool, and builds the error if the call is refused.

import type { Snapshot } from '../catalog/snapshot.ts'
import { serverIn, toolId } from '../catalog/tool-set.ts'
import type { Caller } from '../core/call.ts'
import { fail } from '../core/errors.ts'
import type { FailureResult } from '../core/result.ts'
import { calculateSimilarity, findSimilarTools, similarDetails } from '../core/similarity.ts'
import type { Tool } from '../core/tool.ts'
import { isVisible, type Scope, visibilityOf } from '../rules/visibility.ts'
import type { Hints } from './strategy.ts'
import type { Lookup, ToolRef } from './view.ts'

interface LookupOptions {
  readonly all: Snapshot
  readonly visible: Snapshot
  readonly scope: Scope
  /** Returns the names of the sources. Called only if no tool is found directly. */
  sources(): readonly string[]
  /** Returns the names of the server itself: its own tools and groups. */
  own(): readonly string[]
  /** The prefix of names that are reserved for the server itself. */
  readonly prefix: string
  /** The name under which callers know a tool. Suggestions use it. */
  nameOf(tool: Tool): string
}

/** A name this similar to one of the server's own tools is a misspelling of it. */
const TYPO = 0.75
/** `nearest` compares at most this many characters of the name, with at most this many names. */
const MAX_COMPARED = 200

export function lookUp(ref: ToolRef, options: LookupOptions): Lookup {
  return typeof ref === 'string' || ref.server === undefined
    ? lookUpAnywhere(nameIn(ref), options)
    : lookUpIn(ref.server, ref.tool, options)
}

function lookUpAnywhere(name: string, options: LookupOptions): Lookup {
  const { all, visible, scope, sources, nameOf } = options
  const tool = all.find(name)
  if (tool !== undefined) return found(tool, scope)
  const named = all.named(name)
  const offered = named.filter((one) => isVisible(one, scope))
  if (offered.length > 1) return { found: false, why: 'ambiguous', servers: offered.map((one) => one.sourceId) }
  // If several servers have a tool of this name, the only visible one is meant. If none is visible, the first one gives
  // the reason for the refusal.
  const [meant] = [...offered, ...named]
  if (meant !== undefined) return found(meant, scope)
  const ownTools = ownToolsMeant(name, options)
  // A tool of a source may be destructive, so it is never suggested for a mistyped name of the server's own tools.
  const similar = ownTools.length > 0 ? ownTools : similarTo(name, visible.tools, nameOf)
  const server = serverIn(name, sources())
  return { found: false, why: 'unknown', similar, ...(server === undefined ? {} : { server }) }
}

/** The server's own tools that a misspelt name probably means. Any name with the reserved prefix means one of them. */
function ownToolsMeant(name: string, { visible, own, prefix }: LookupOptions): readonly string[] {
  if (!name.toLowerCase().startsWith(`${prefix}-`)) {
    return findSimilarTools(name, own()).filter((one) => calculateSimilarity(name, one) >= TYPO)
  }
  const builtins = visible.tools.filter(({ builtin }) => builtin === true).map(({ listedName }) => listedName)
  const reserved = [...own(), ...builtins].filter((one) => one.startsWith(`${prefix}-`))
  const similar = findSimilarTools(name, reserved)
  return similar.length > 0 ? similar : nearest(name, reserved)
}

function lookUpIn(server: string, name: string, { all, visible, scope, sources }: LookupOptions): Lookup {
  const exact = all.get(toolId(server, name))
  if (exact?.sourceId === server) return found(exact, scope)
  const names = sources()
  if (!names.includes(server)) {
    return { found: false, why: 'unknown-server', server, similar: findSimilarTools(server, names) }
  }
  // The tool may be given as `server:tool` although the server is also given.
  const bare = bareName(name, server)
  const listed = all.find(name)
  const tool = exact ?? all.get(toolId(server, bare)) ?? (listed?.sourceId === server ? listed : undefined)
  if (tool !== undefined) return found(tool, scope)
  const tools = visible.tools.filter((one) => one.sourceId === server).map((one) => one.name)
  const similar = findSimilarTools(bare, tools)
  return { found: false, why: 'unknown', server, similar: similar.length === 0 ? nearest(bare, tools) : similar }
}

function found(tool: Tool, scope: Scope): Lookup {
  return { found: true, tool, visibility: visibilityOf(tool, scope) }
}

/** The name of a tool without its server, which may be part of the given name. */
function bareName(name: string, server: string): string {
  return name.startsWith(`${server}:`) ? name.slice(server.length + 1) : name
}

/** The three most similar names. Even weakly similar names help, because they show how the tools are named. */
function nearest(name: string, names: readonly string[]): readonly string[] {
  const wanted = name.slice(0, MAX_COMPARED)
  return names
    .slice(0, MAX_COMPARED)
    .map((one) => ({ one, score: calculateSimilarity(wanted, one) }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ one }) => one)
}

/** Compares with the names that callers know and, if these are not similar, with the names that the servers use. */
function similarTo(name: string, tools: readonly Tool[], nameOf: LookupOptions['nameOf']): readonly string[] {
  for (const toName of [nameOf, (tool: Tool) => tool.name]) {
    const named = new Map(tools.map((tool) => [toName(tool), tool]))
    const similar = findSimilarTools(name, named.keys()).flatMap((one) => named.get(one) ?? [])
    if (similar.length > 0) return similar.map(nameOf)
  }
  return []
}

export interface NoToolsReason {
  readonly reason: string
  /** The action that is needed first, if a retry does not help. */
  readonly remedy?: string | undefined
  /** The command with which the user logs in. Absent if the user need not log in. */
  readonly loginCommand?: string | undefined
}

interface RefusalOptions {
  /**
   * Returns why the tools of a server are unknown: the server failed or is still starting. Undefined if they are known.
   */
  whyNoTools(server: string): NoToolsReason | undefined
  readonly hints: Hints
  readonly prefix: string
  readonly caller: Caller
}

/** The error for a call that is refused. It depends on the visibility of the tool. Undefined if the call is allowed. */
export function refusalOf(ref: ToolRef, target: Lookup, options: RefusalOptions): FailureResult | undefined {
  const { hints, prefix, caller, whyNoTools } = options
  const name = nameIn(ref)
  if (!target.found) return notFound(name, target, hints, whyNoTools)
  const { tool, visibility } = target
  switch (visibility.degree) {
    case 'visible':
      return undefined
    case 'absent':
      return notFound(name, { found: false, why: 'unknown', similar: [] }, hints, whyNoTools)
    case 'disabled':
      return withServerAndTool(fail('TOOL_DISABLED', { ...visibility, id: tool.id, rule: visibility.rule }), tool)
    case 'changed': {
      const { kind, parts } = visibility.change
      return withServerAndTool(fail('TOOL_CHANGED', { server: tool.sourceId, name: tool.name, kind, parts }), tool)
    }
    case 'unexposed':
      return fail('COMMAND_NOT_EXPOSED', { name: hints.nameOf(tool), discover: hints.find })
    case 'out-of-context': {
      const { active, contexts } = visibility
      // A context can be entered only in a session.
      const enter = caller.sessionId === undefined ? undefined : `${prefix}-context-enter`
      return fail('CONTEXT_MISMATCH', { name: hints.nameOf(tool), active, contexts, enter }, { details: { contexts } })
    }
    case 'no-session':
      return noSession(hints.nameOf(tool), prefix)
  }
}

/** The error for a tool that needs a session. It names the tools that take the context as an argument instead. */
export function noSession(name: string, prefix: string): FailureResult {
  return fail('NO_SESSION', { name, tools: ['discover', 'call', 'batch', 'pipe'].map((tool) => `${prefix}-${tool}`) })
}

function notFound(
  name: string,
  target: Extract<Lookup, { found: false }>,
  hints: Hints,
  whyNoTools: RefusalOptions['whyNoTools'],
): FailureResult {
  switch (target.why) {
    case 'unknown-server': {
      const { server, similar } = target
      return fail('SERVER_NOT_FOUND', { server, similar, list: hints.servers ?? hints.find }, similarDetails(similar))
    }
    case 'ambiguous':
      return fail('TOOL_AMBIGUOUS', { name, servers: target.servers }, { details: { servers: target.servers } })
    case 'unknown': {
      const { similar, server } = target
      const tool = server === undefined ? name : bareName(name, server)
      const whyUnknown = server === undefined ? undefined : whyNoTools(server)
      if (server !== undefined && whyUnknown !== undefined) {
        return noToolsFailure({ sourceId: server, name: tool }, whyUnknown)
      }
      return hints.noun === 'command'
        ? fail('COMMAND_NOT_FOUND', { name, similar, discover: hints.find }, similarDetails(similar))
        : fail('TOOL_NOT_FOUND', { name: tool, server, similar, find: hints.find }, similarDetails(similar))
    }
  }
}

/** The error for a tool of a server that has not listed its tools. */
export function noToolsFailure(
  tool: NamedTool,
  { reason, remedy, loginCommand: command }: NoToolsReason,
): FailureResult {
  const { sourceId: server } = tool
  const failed =
    command === undefined
      ? fail('SERVER_UNAVAILABLE', { server, reason, ...(remedy === undefined ? { retryAfterMs: 0 } : { remedy }) })
      : fail('AUTH_REQUIRED', { server, reason, command }, { details: { server, command } })
  return withServerAndTool(failed, tool)
}

type NamedTool = Pick<Tool, 'sourceId' | 'name'>

/** Adds the server and the tool to the error, as clients of a gateway expect. */
function withServerAndTool(result: FailureResult, { sourceId, name }: NamedTool): FailureResult {
  return { ...result, error: { ...result.error, server: sourceId, tool: name } }
}

export function nameIn(ref: ToolRef): string {
  return typeof ref === 'string' ? ref : ref.tool
}

/** The server and the tool that the reference names, for the audit record of a call that finds no tool. */
export function requestedTool(ref: ToolRef, target: Lookup): NamedTool {
  const given = typeof ref === 'string' ? undefined : ref.server
  const server = given ?? ('server' in target ? target.server : undefined) ?? ''
  return { sourceId: server, name: bareName(nameIn(ref), server) }
}
