// A rule as people read it.

import type { ToolRule } from '../../config/server-config.ts'
import { oneLine } from '../output/text.ts'

/** `*github*, /issue/ → enabled, tags: [github, issues]`. */
export function ruleLine({ pattern, server, enabled, tags, origin }: ToolRule): string {
  const decides = enabled ?? (tags === undefined ? true : undefined)
  const what = [
    ...(decides === undefined ? [] : [decides ? 'enabled' : 'disabled']),
    ...(tags === undefined || tags.length === 0 ? [] : [`tags: [${tags.join(', ')}]`]),
  ]
  const whose = server === undefined ? '' : `${server}: `
  const from = origin === undefined ? '' : ` (from ${origin.source})`
  return oneLine(`${whose}${pattern.join(', ')} → ${what.join(', ') || 'no effect'}${from}`)
}
