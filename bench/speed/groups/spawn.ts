// From the start of `toolcrib serve` to the answer to tools/list, with the cached tools of 100 servers.

import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeGateway } from '../../../test/fixtures/stored-gateway.ts'
import { knownServers } from '../../known-servers.ts'
import { median } from '../figures.ts'
import type { BenchGroup } from '../group.ts'
import { emptyNodeMs } from '../process-facts.ts'
import { startRaw } from '../raw-session.ts'
import { MAIN } from '../targets.ts'

export const spawn: BenchGroup = {
  name: 'spawn',
  rows: [
    {
      id: 'spawn-to-list-vs-node',
      what: 'from spawn to the first tools/list with 100 known servers, against node -e 0',
      unit: 'ms',
      ours: 'toolcrib',
      base: 'node',
      as: 'ratio',
    },
  ],
  async round(isShort) {
    const folder = await mkdtemp(join(tmpdir(), 'toolcrib-bench-'))
    try {
      const stored = await storeGateway(folder, knownServers().slice(0, 100))
      const env = { HOME: folder, XDG_CACHE_HOME: stored.cacheHome, XDG_STATE_HOME: stored.stateHome }
      const listMs = async () => {
        const session = await startRaw({ args: [MAIN, 'serve', '--config', stored.config], env })
        const { tools } = await session.request('tools/list')
        const ms = session.sinceStart()
        await session.close()
        if (!Array.isArray(tools) || tools.length === 0) throw new Error('The gateway listed no tools.')
        return ms
      }
      // The first start does not count: it writes cache files, and the system reads the program from disk.
      await listMs()
      const taken = { toolcrib: [] as number[], node: [] as number[] }
      for (let run = 0; run < (isShort ? 3 : 9); run++) {
        taken.node.push(emptyNodeMs())
        taken.toolcrib.push(await listMs())
      }
      if (existsSync(stored.mark)) throw new Error('A server was started for a list.')
      return { toolcrib: median(taken.toolcrib), node: median(taken.node) }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}
