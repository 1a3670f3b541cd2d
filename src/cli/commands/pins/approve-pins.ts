// toolcrib pins approve: pins the present form of tools. A running gateway uses the new pins within a second.

import { raise } from '../../../core/errors.ts'
import { shellWord } from '../../../core/text.ts'
import { approve, changesHash, pinsKey } from '../../../sources/upstream/pins/pin-record.ts'
import { visible, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'
import { openPins, requireTool } from './open-pins.ts'

/** `form` is the code that `pins diff` printed. If the tools have changed since then, nothing is approved. */
export async function approvePins(work: Work, only: string, form: string | undefined): Promise<number> {
  const { output } = work
  await using pins = await openPins(work)
  const { servers, tool } = await pins.read(only)
  const approved: string[] = []
  for (const one of servers) {
    requireTool(one, tool)
    if (one.record === undefined) continue
    if (form !== undefined && form !== changesHash(one.record, tool)) {
      raise('INVALID_OPTIONS', {
        what: `--form '${visible(form)}'`,
        reason: `'${visible(only)}' has changed again since \`toolcrib pins diff\` printed this code`,
        todo: `Nothing was approved. Run \`toolcrib pins diff ${shellWord(visible(only))}\` and read the text again.`,
      })
    }
    const after = approve(one.record, tool)
    if (after.approved.length === 0) continue
    await pins.store.set(pinsKey(one.server), after.record)
    approved.push(...after.approved)
  }
  const [server] = servers
  output.show({ server: server?.server.name, approved }, () => {
    if (output.isQuiet) return approved.map(visible)
    if (approved.length === 0)
      return wrap(`Nothing to approve: '${visible(only)}' has not changed since it was approved.`, output.width)
    return approved.map((name) => `${output.paint.green('✓')} Approved ${visible(`${server?.server.name}:${name}`)}`)
  })
  return 0
}
