// Warnings that are printed below an answer, one paragraph each.

import type { Output } from './output.ts'
import { oneLine, wrap } from './text.ts'

/** Starts with an empty line; nothing where there is nothing to say. */
export function remarkLines(remarks: readonly string[], { width, paint }: Pick<Output, 'width' | 'paint'>): string[] {
  if (remarks.length === 0) return []
  return [
    '',
    ...remarks.flatMap((remark) => wrap(`Warning: ${oneLine(remark)}`, width).map((line) => paint.yellow(line))),
  ]
}
