// The pin of a tool: its state, and how the tool differs from its pinned form.

import { lineDiff } from '../../core/line-diff.ts'
import type { Tool } from '../../core/tool.ts'
import { formLines } from '../../sources/upstream/pins/form-lines.ts'
import type { ToolPin } from '../../sources/upstream/pins/pin-record.ts'
import type { InspectorTool } from './api.ts'

const MAX_LINES = 400

export function pinStateOf({ change }: Pick<Tool, 'change'>, pin: ToolPin | undefined): InspectorTool['pin'] {
  const pinnedAt = pin?.pinned === undefined ? {} : { pinnedAt: new Date(pin.pinned.at).toISOString() }
  if (change === undefined) return { state: pin?.pinned === undefined ? 'none' : 'pinned', ...pinnedAt }
  const diff = diffOf(pin)
  return {
    state: change.isBlocked ? 'blocked' : 'changed',
    ...pinnedAt,
    ...(diff.length === 0 ? {} : { diff }),
  }
}

/** Lines that start with `+`, `-`, a space or `…`. Empty if one of the two texts was too long to be stored. */
function diffOf(pin: ToolPin | undefined): readonly string[] {
  if (pin?.seen?.text === undefined || (pin.pinned !== undefined && pin.pinned.text === undefined)) return []
  const lines = lineDiff(formLines(pin.pinned?.text), formLines(pin.seen.text))
  const shown = lines.slice(0, MAX_LINES).map(({ sign, line }) => `${sign} ${line}`.trimEnd())
  return lines.length <= MAX_LINES ? shown : [...shown, '…']
}
