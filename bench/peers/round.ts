// Runs the workload once through every gateway and prints the figures as one line of JSON.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { median } from '../speed/figures.ts'
import type { Figures } from '../speed/group.ts'
import { measure, warmUp } from '../speed/load.ts'
import { residentMegabytes } from '../speed/process-facts.ts'
import { startRaw } from '../speed/raw-session.ts'
import { connect, openDirect, SERVERS, type Target, textOf } from '../speed/targets.ts'
import { type ComparedGateway, gateways } from './gateways.ts'

const LARGE = 256 * 1024
const COLD = Array.from({ length: 25 }, (_, at) => `server-${at}`)
const isShort = process.argv[2] === '--short'

async function open(gateway: ComparedGateway): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-bench-'))
  const { client, pid } = await connect(await gateway.prepare(folder, SERVERS))
  return {
    name: gateway.name,
    pid,
    async call(server, tool, args) {
      const { name, arguments: given } = gateway.call(SERVERS[server % SERVERS.length] ?? '', tool, args)
      return gateway.unwrap(await textOf(client, name, given))
    },
    async close() {
      await client.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Repeats a call that fails: a gateway may list its own tools before it is connected to its servers. */
async function untilConnected<T>(call: () => Promise<T>): Promise<T> {
  const endsAt = performance.now() + 60_000
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (performance.now() > endsAt) throw error
      await delay(10)
    }
  }
}

async function coldStart(gateway: ComparedGateway) {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-bench-'))
  const session = await startRaw(await gateway.prepare(folder, COLD))
  await session.request('tools/list')
  const listMs = session.sinceStart()
  const text = 'the first call'
  const { name, arguments: args } = gateway.call('server-17', 'echo', { text })
  await untilConnected(async () => {
    const result = await session.request('tools/call', { name, arguments: args })
    if (result.isError === true || !JSON.stringify(result).includes(text)) throw new Error(JSON.stringify(result))
  })
  const callMs = session.sinceStart()
  await session.close()
  await rm(folder, { recursive: true, force: true })
  return { listMs, callMs }
}

const figures: Figures = {}
const targets = [await openDirect(), ...(await Promise.all(gateways.map(open)))]
try {
  for (const target of targets) await untilConnected(() => target.call(4, 'echo', { text: 'hello' }))
  await warmUp(targets, isShort ? 300 : 1_000)
  Object.assign(figures, await measure(targets, { atOnce: 1, block: 100, blocks: isShort ? 4 : 15 }))
  Object.assign(figures, await measure(targets, { atOnce: 32, block: 512, blocks: isShort ? 2 : 6 }))
  const large = new Map(targets.map(({ name }) => [name, [] as number[]]))
  for (let run = 0; run < (isShort ? 20 : 60); run++) {
    for (const target of targets) {
      const before = performance.now()
      const { length } = await target.call(0, 'sized', { bytes: LARGE })
      large.get(target.name)?.push(performance.now() - before)
      if (length !== LARGE) throw new Error(`${target.name} sent ${length} characters.`)
    }
  }
  for (const [name, ms] of large) figures[`${name}.large`] = median(ms)
  for (const { name, pid } of targets) if (pid !== undefined) figures[`${name}.resident`] = residentMegabytes(pid)
} finally {
  for (const target of targets) await target.close()
}
for (const gateway of gateways) {
  const { listMs, callMs } = await coldStart(gateway)
  figures[`${gateway.name}.coldList`] = listMs
  figures[`${gateway.name}.coldCall`] = callMs
}
process.stdout.write(`${JSON.stringify(figures)}\n`)
