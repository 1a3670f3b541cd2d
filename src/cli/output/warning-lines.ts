// Warnings that are printed below an answer, one paragraph each.

import type { Output } from './output.ts'
import { oneLine, wrap } from './text.ts'

/** Starts with an empty line. Returns no lines if there are no warnings. */
export function warningLines(warnings: readonly string[], { width, paint }: Pick<Output, 'width' | 'paint'>): string[] {
  if (warnings.length === 0) return []
  return [
    '',
    ...warnings.flatMap((warning) => wrap(`Warning: ${oneLine(warning)}`, width).map((line) => paint.yellow(line))),
  ]
}
