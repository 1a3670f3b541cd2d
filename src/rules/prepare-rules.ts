// Compiles rules and makes their decisions in short slices, so that other requests are answered meanwhile.

import type { ToolRule } from '../config/server-config.ts'
import { inSlices } from '../core/in-slices.ts'
import type { Decide } from '../core/tool.ts'
import type { ToolSource } from '../sources/source.ts'
import { compilePattern } from './pattern.ts'

/** Compiles the patterns in advance. `compileRules` then takes them from the cache. */
export async function preparePatterns(rules: readonly ToolRule[]): Promise<void> {
  const texts = rules.flatMap(({ pattern, server }) => (server === undefined ? pattern : [server, ...pattern]))
  await inSlices(texts, compilePattern)
}

/** Decides about the known tools in advance. `decide` caches its decisions for the next snapshot. */
export async function decideAhead(
  decide: Decide,
  sources: readonly Pick<ToolSource, 'id' | 'list'>[],
  signal: AbortSignal,
): Promise<void> {
  for (const source of sources) {
    await inSlices(await source.list(signal), ({ name }) => decide(source.id, name))
  }
}
