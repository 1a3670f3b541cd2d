// Runs `toolcrib pins diff`: shows how tools differ from their approved form. Invisible characters are shown as escapes.

import { shellWord } from '../../../core/text.ts'
import { changesHash, type ToolPin } from '../../../sources/upstream/pins/pin-record.ts'
import { formLines, readForm } from '../../../sources/upstream/pins/tool-form.ts'
import { diffLines } from '../../output/diff.ts'
import { visible, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'
import { changeOf, openPins, requireTool } from './open-pins.ts'

export async function diffPins(work: Work, only: string | undefined): Promise<number> {
  const { output } = work
  await using pins = await openPins(work)
  const { servers, tool } = await pins.read(only)
  const changes = servers.flatMap((one) => {
    requireTool(one, tool)
    const found = (one.record?.tools ?? []).filter(({ name }) => tool === undefined || name === tool)
    return found.flatMap((pin) => {
      const change = changeOf(pin)
      return change === undefined ? [] : [{ server: one.server.name, pin, change }]
    })
  })
  const document = changes.map(({ server, pin, change }) => ({
    server,
    ...change,
    approved: pin.pinned?.text === undefined ? null : readForm(pin.pinned.text),
    present: pin.seen?.text === undefined ? null : readForm(pin.seen.text),
  }))
  output.show({ changes: document }, () => {
    if (output.isQuiet) return changes.map(({ server, change }) => visible(`${server}:${change.tool}`))
    const { paint, width } = output
    if (changes.length === 0) return ['No tool has changed.']
    const blocks = changes.flatMap(({ server, pin, change: { tool: name, change, parts = [] } }, at) => [
      ...(at === 0 ? [] : ['']),
      `${paint.bold(visible(`${server}:${name}`))} (${[change, ...parts].join(', ')})`,
      ...formDiff(pin, paint),
    ])
    const first = changes[0]?.server ?? ''
    const record = servers.find((one) => one.server.name === first)?.record
    const form = record === undefined ? '' : ` --form ${changesHash(record, tool)}`
    const second = changes.find(({ server }) => server !== first)?.server
    const text = second === undefined ? 'this text' : `the text of '${visible(first)}'`
    const rest = second === undefined ? '' : ` Then run \`toolcrib pins diff ${shellWord(visible(second))}\`.`
    const next = `If you agree to ${text}, run \`toolcrib pins approve ${shellWord(visible(only ?? first))}${form}\`. If not, run \`toolcrib disable ${shellWord(visible(first))}\`.${rest}`
    return [...blocks, '', ...wrap(next, width)]
  })
  return 0
}

function formDiff({ pinned, seen }: ToolPin, paint: Parameters<typeof diffLines>[2]): readonly string[] {
  const isCut = seen?.text === undefined || (pinned !== undefined && pinned.text === undefined)
  if (isCut) return ['  (its text is too long to be kept; only its hash was compared)']
  return diffLines(formLines(pinned?.text), formLines(seen.text), paint, (line) => line)
}
