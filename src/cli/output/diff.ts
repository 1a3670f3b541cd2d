// Formats the difference of two texts as lines, with some lines of context.

import { lineDiff } from '../../core/line-diff.ts'
import type { Paint } from './output.ts'
import { plain } from './text.ts'

/** `hide` masks secrets in a line. */
export function diffLines(
  before: string,
  after: string,
  paint: Paint,
  hide: (line: string) => string,
): readonly string[] {
  return lineDiff(before, after).map(({ sign, line }) => {
    if (sign === '…') return paint.dim('  …')
    const shown = `${sign} ${plain(hide(line.replace(/\r$/, '')))}`
    return sign === '+' ? paint.green(shown) : sign === '-' ? paint.red(shown) : paint.dim(shown)
  })
}
