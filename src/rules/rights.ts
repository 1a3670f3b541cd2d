// Compiles the rights of a caller into tests for tools and servers.

import { toolId } from '../catalog/tool-set.ts'
import type { Rights } from '../core/rights.ts'
import type { DescribedTool } from '../core/tool.ts'
import { compilePattern, type Pattern } from './pattern.ts'

interface CompiledRights {
  allowsTool(tool: DescribedTool): boolean
  allowsServer(server: string): boolean
  /** True if prompts and resources of this server are allowed. */
  allowsFeatures(server: string): boolean
  /**
   * True if the server exists for the caller even if none of its tools does. `isListed`: its tools are known. Rights to
   * single tools reveal a server without known tools only if they name it.
   */
  showsServer(server: string, isListed: boolean): boolean
}

/** Keyed weakly: the rights of one token are one object as long as the token is valid. */
const compiled = new WeakMap<Rights, CompiledRights>()

export function compileRights(rights: Rights): CompiledRights {
  const known = compiled.get(rights)
  if (known !== undefined) return known
  const made = compile(rights)
  compiled.set(rights, made)
  return made
}

/**
 * True if the tool states that it changes nothing, and does not contradict this with another statement. A tool that
 * states nothing may change something.
 */
export function statesReadOnly({ annotations, traits }: Pick<DescribedTool, 'annotations' | 'traits'>): boolean {
  const isStated = annotations?.readOnlyHint === true || traits.mutation === false
  const isContradicted =
    annotations?.readOnlyHint === false ||
    // Any value except `false`, such as the text 'false', counts as a statement that the tool is destructive.
    !(annotations?.destructiveHint === undefined || annotations.destructiveHint === false) ||
    traits.mutation === true ||
    traits.destructive === true
  return isStated && !isContradicted
}

function compile({ anyOf, ...one }: Rights): CompiledRights {
  if (anyOf === undefined) return compileOne(one)
  const parts = anyOf.map(compileRights)
  return {
    allowsTool: (tool) => parts.some((part) => part.allowsTool(tool)),
    allowsServer: (server) => parts.some((part) => part.allowsServer(server)),
    allowsFeatures: (server) => parts.some((part) => part.allowsFeatures(server)),
    showsServer: (server, isListed) => parts.some((part) => part.showsServer(server, isListed)),
  }
}

function compileOne({ servers, tools, readOnly = false }: Rights): CompiledRights {
  const names = servers === undefined ? undefined : new Set(servers)
  const patterns = tools === undefined ? undefined : compilePatterns(tools)
  const allowsServer = (server: string) => names === undefined || names.has(server)
  return {
    allowsServer,
    // Patterns apply only to tools, and a resource may contain what a tool outside the rights returns.
    allowsFeatures: (server) => patterns === undefined && allowsServer(server),
    showsServer(server, isListed) {
      if (!allowsServer(server)) return false
      return patterns === undefined || (!isListed && (names !== undefined || patterns.startWith(server)))
    },
    allowsTool(tool) {
      // Tools of the gateway itself, such as those for contexts, belong to no server.
      if (tool.builtin === true) return true
      if (!allowsServer(tool.sourceId)) return false
      if (patterns?.matches(tool.sourceId, tool.name) === false) return false
      return !readOnly || statesReadOnly(tool)
    },
  }
}

interface ToolPatterns {
  matches(server: string, tool: string): boolean
  /** True if a pattern starts with the name of the server, as in `github_*` or `github:*`. */
  startWith(server: string): boolean
}

/** Fails closed: a list with an invalid pattern matches no tool. */
function compilePatterns(texts: readonly string[]): ToolPatterns {
  const patterns: Pattern[] = []
  for (const text of texts) {
    const result = compilePattern(text)
    if (!result.ok) return { matches: () => false, startWith: () => false }
    patterns.push(result.pattern)
  }
  const excluding = patterns.filter(({ negated }) => negated)
  const including = patterns.filter(({ negated }) => !negated)
  const includesAll = patterns.length > 0 && including.length === 0
  const matchesOne = (server: string, tool: string) => {
    const forms = [tool, `${server}_${tool}`, toolId(server, tool)]
    return (pattern: Pattern) => forms.some((form) => pattern.matches(form))
  }
  return {
    matches(server, tool) {
      const isMatch = matchesOne(server, tool)
      return (includesAll || including.some(isMatch)) && !excluding.some(isMatch)
    },
    startWith: (server) => including.some(({ text }) => text.startsWith(`${server}_`) || text.startsWith(`${server}:`)),
  }
}
