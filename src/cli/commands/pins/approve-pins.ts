// Runs `toolcrib pins approve`: pins the present form of tools. A running gateway uses the new pins within a second.

import { raise } from '../../../core/errors.ts'
import { shellWord } from '../../../core/text.ts'
import { approve, changesHash, pinsKey } from '../../../sources/upstream/pins/pin-record.ts'
import { visible, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'
import { openPins, requireTool, type ServerRecord } from './open-pins.ts'

/** `form` is the code that `pins diff` printed. If it is not the code of the present changes, nothing is approved. */
export async function approvePins(work: Work, only: string, form: string | undefined): Promise<number> {
  const { output } = work
  await using pins = await openPins(work)
  const { servers, tool } = await pins.read(only)
  const approved: string[] = []
  for (const one of servers) {
    requireTool(one, tool)
    if (one.record === undefined) continue
    const after = approve(one.record, tool)
    if (after.approved.length === 0) continue
    if (form !== undefined && form !== changesHash(one.record, tool)) {
      raise('INVALID_OPTIONS', {
        what: `--form '${visible(form)}'`,
        reason: `it is not the code of the present changes of '${visible(only)}'. They may have changed since \`toolcrib pins diff\` printed the code`,
        todo: `Nothing was approved. Run \`toolcrib pins diff ${shellWord(visible(only))}\` and read the text again.`,
      })
    }
    await pins.store.set(pinsKey(one.server), after.record)
    approved.push(...after.approved)
  }
  const [server] = servers
  output.show({ server: server?.server.name, approved }, () => {
    if (output.isQuiet) return approved.map(visible)
    if (approved.length === 0) return wrap(`Nothing to approve: ${nothingReason(server, tool)}.`, output.width)
    return approved.map((name) => `${output.paint.green('✓')} Approved ${visible(`${server?.server.name}:${name}`)}`)
  })
  return 0
}

function nothingReason(server: ServerRecord | undefined, tool: string | undefined): string {
  const name = visible(server?.server.name ?? '')
  if (tool !== undefined) return `'${name}:${visible(tool)}' does not differ from its pin`
  return server?.record === undefined ? `no tool of '${name}' is pinned` : `no tool of '${name}' differs from its pin`
}
