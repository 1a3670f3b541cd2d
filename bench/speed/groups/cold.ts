// The first call of a gateway with 25 servers that it does not know yet, against the start of the called server alone.

import { median } from '../figures.ts'
import type { BenchGroup, Figures } from '../group.ts'
import { type BenchSession, startRaw } from '../raw-session.ts'
import { MAIN, UPSTREAM, writeCribFiles } from '../targets.ts'

const NAMES = Array.from({ length: 25 }, (_, at) => `server-${at}`)
/** Neither the first nor the last of the config. */
const CALLED = 'server-17'
const TEXT = 'the first call'
const ECHO = { name: 'echo', arguments: { text: TEXT } }

async function call(session: BenchSession, params: Readonly<Record<string, unknown>>): Promise<void> {
  const result = await session.request('tools/call', params)
  if (!JSON.stringify(result).includes(TEXT)) throw new Error(`The first call failed: ${JSON.stringify(result)}`)
}

/** Start, handshake and one call, without a gateway. */
async function ownStartMs(): Promise<number> {
  const session = await startRaw({ args: [UPSTREAM] })
  await call(session, ECHO)
  const ms = session.sinceStart()
  await session.close()
  return ms
}

async function throughCrib() {
  const files = await writeCribFiles({ servers: NAMES })
  const session = await startRaw({ args: [MAIN, 'serve', '--config', files.config], env: files.env })
  await session.request('tools/list')
  const listMs = session.sinceStart()
  const { name: tool, arguments: args } = ECHO
  await call(session, { name: 'execute_tool', arguments: { server: CALLED, tool, arguments: args } })
  const fromSpawnMs = session.sinceStart()
  await session.close()
  await files.remove()
  return { callMs: fromSpawnMs - listMs, fromSpawnMs }
}

export const cold: BenchGroup = {
  name: 'cold',
  rows: [
    {
      id: 'cold-first-call-vs-own-start',
      what: 'first call with 25 cold servers, sent after tools/list, against the start and first call of the called server alone',
      unit: 'ms',
      ours: 'call',
      base: 'own',
      as: 'ratio',
    },
    {
      id: 'cold-spawn-to-first-call-vs-own-start',
      what: 'first call with 25 cold servers, timed from the start of the gateway, against the start and first call of the called server alone',
      unit: 'ms',
      ours: 'fromSpawn',
      base: 'own',
      as: 'ratio',
    },
  ],
  async round(isShort) {
    const taken = { own: [] as number[], call: [] as number[], fromSpawn: [] as number[] }
    await ownStartMs()
    for (let run = 0; run < (isShort ? 1 : 3); run++) {
      taken.own.push(await ownStartMs())
      const { callMs, fromSpawnMs } = await throughCrib()
      taken.own.push(await ownStartMs())
      taken.call.push(callMs)
      taken.fromSpawn.push(fromSpawnMs)
    }
    return Object.fromEntries(Object.entries(taken).map(([name, ms]) => [name, median(ms)])) as Figures
  },
}
