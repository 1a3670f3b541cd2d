// Runs `toolcrib pins list`: lists how many tools of each server are pinned, and the tools that have changed.

import { shellWord } from '../../../core/text.ts'
import { count, visible, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'
import { changeOf, openPins, type PinChange } from './open-pins.ts'

export async function listPins(work: Work): Promise<number> {
  const { output } = work
  await using pins = await openPins(work)
  const { pinning } = pins.loaded.config.discovery
  const { servers } = await pins.read()
  const listed = servers.map(({ server, record }) => ({
    server: server.name,
    pinned: record?.tools.filter((pin) => pin.pinned !== undefined).length ?? 0,
    changes: record?.tools.flatMap((pin) => changeOf(pin) ?? []) ?? [],
  }))
  output.show({ pinning, servers: listed }, () => {
    if (output.isQuiet) {
      return listed.flatMap(({ server, changes }) => changes.map(({ tool }) => visible(`${server}:${tool}`)))
    }
    const { paint, width } = output
    const blocks = listed.flatMap(({ server, pinned, changes }) => {
      const mark = changes.length > 0 ? paint.yellow('!') : pinned === 0 ? '?' : paint.green('✓')
      const state = pinned === 0 ? 'no tool is pinned' : `${count(pinned, 'tool')} pinned`
      return [
        '',
        `${mark} ${paint.bold(visible(server))} (${state})`,
        ...changes.flatMap((one) => changeLines(one, width)),
      ]
    })
    const changed = listed.filter(({ changes }) => changes.length > 0)
    const [first] = changed
    const next =
      first === undefined
        ? []
        : [
            '',
            ...wrap(
              `Next: \`toolcrib pins diff ${shellWord(visible(first.server))}\` shows what has changed, before you approve it.`,
              width,
            ),
          ]
    return [`Pins (${count(listed.length, 'server')}, pinning: ${pinning}):`, ...blocks, ...next]
  })
  return 0
}

function changeLines({ tool, change, parts = [], since }: PinChange, width: number): readonly string[] {
  const what = parts.length === 0 ? change : `${change}: ${parts.join(', ')}`
  return wrap(`${visible(tool)} (${what}, since ${since.slice(0, 16).replace('T', ' ')} UTC)`, width, '  ')
}
