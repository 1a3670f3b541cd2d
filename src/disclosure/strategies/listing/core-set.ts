// Selects the core of a listing: the tools that are listed in full, by name or by usage.

import { z } from 'zod'
import type { Tool, ToolId } from '../../../core/tool.ts'
import { compilePattern, type Pattern } from '../../../rules/pattern.ts'
import { listInFull } from '../../listed.ts'
import type { StrategyFlag, UsageProvider } from '../../strategy.ts'
import type { View } from '../../view.ts'
import { createToolCost } from './tool-cost.ts'

export const LEARNED = 'learned'

/** Names or patterns as in rules, or `learned`. */
export const coreOption = z.union([z.string().min(1), z.array(z.string().min(1))]).superRefine((given, context) => {
  if (given === LEARNED) return
  for (const text of [given].flat()) {
    const compiled = compilePattern(text)
    if (!compiled.ok) context.addIssue({ code: 'custom', message: compiled.problem.message })
  }
})

/** In tokens. */
export const coreBudgetOption = z.int().min(0).default(4_000)

export const coreFlags: Readonly<Record<'core' | 'coreBudget', StrategyFlag>> = {
  core: { kind: 'list', about: "tools to list in full: names, patterns or 'learned'" },
  coreBudget: { kind: 'number', about: 'tokens for a learned core (default: 4000)' },
}

interface CoreOptions {
  readonly core: z.output<typeof coreOption>
  /** Applies to a learned core only. Named tools are listed at any cost. */
  readonly coreBudget: number
}

/** Returns the tools of the core, in the order of the catalog. */
type CoreSet = (view: View) => Promise<readonly Tool[]>

/** A learned core has at most this many tools, even if its budget allows more. */
const MAX_LEARNED = 100

export function createCoreSet({ core, coreBudget }: CoreOptions, usage: UsageProvider | undefined): CoreSet {
  if (core === LEARNED) return learnedCore(Promise.resolve(usage?.top(Number.POSITIVE_INFINITY) ?? []), coreBudget)
  const patterns = [core].flat().flatMap((text) => {
    const compiled = compilePattern(text)
    return compiled.ok ? [compiled.pattern] : []
  })
  return async (view) => view.visible.tools.filter((tool) => isNamed(tool, patterns))
}

function learnedCore(ranked: Promise<readonly ToolId[]>, budget: number): CoreSet {
  const costOf = createToolCost(listInFull)
  return async (view) => {
    const chosen = new Set<Tool>()
    // Limited after the filter: the tools that others use must not displace those of this caller.
    const used = (await ranked).flatMap((id) => view.visible.get(id) ?? []).slice(0, MAX_LEARNED)
    for (const tool of used) {
      const { isWithin } = await costOf([...chosen, tool], budget)
      if (isWithin) chosen.add(tool)
    }
    return view.visible.tools.filter((tool) => chosen.has(tool))
  }
}

/** Matches like the rules: the name of the tool, or `server_tool`. Also matches the listed name. */
function isNamed({ name, sourceId, listedName }: Tool, patterns: readonly Pattern[]): boolean {
  const matches = (pattern: Pattern) => [name, `${sourceId}_${name}`, listedName].some((one) => pattern.matches(one))
  const wanted = patterns.filter((pattern) => !pattern.negated)
  const unwanted = patterns.filter((pattern) => pattern.negated)
  // If there are only negations, all other tools match.
  return (wanted.length === 0 ? unwanted.length > 0 : wanted.some(matches)) && !unwanted.some(matches)
}
