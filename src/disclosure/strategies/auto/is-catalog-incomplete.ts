// Decides whether too few servers have listed their tools to choose a strategy.

import type { View } from '../../view.ts'

/** Servers that failed are not waited for, because they may never start. */
export function isCatalogIncomplete({ known, visible, sources }: View): boolean {
  if (visible.tools.length === 0) return true
  const listed = new Set(known.tools.map((tool) => tool.sourceId))
  return sources.some(({ id, state }) => (state === 'known' || state === 'starting') && !listed.has(id))
}
