// npm run fleet: many clients of both eras call tools through three replicas behind nginx, while one replica is killed,
// one restarts and Redis restarts, and while all replicas restart in turn. It fails if an answer is wrong, missing or
// late. It also compares three replicas with one, and fails if the median call takes over 20 % longer with Redis than in
// memory.

import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Fleet, startFleet, tokenOf } from '../test/fixtures/fleet/fleet.ts'
import { createFleetClient } from '../test/fixtures/fleet/raw-client.ts'
import { type VisitReport, visit } from '../test/fixtures/fleet/visitors.ts'
import { printTable, type Row } from './report.ts'
import { quantile } from './speed/figures.ts'

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '50000' },
    clients: { type: 'string', default: '200' },
    principals: { type: 'string', default: '20' },
    /** One part only: `faults`, `rolling`, `throughput` or `store`. */
    only: { type: 'string' },
  },
})
const [calls, clients, people] = [values.calls, values.clients, values.principals].map(Number) as [
  number,
  number,
  number,
]
const principals = Array.from({ length: people }, (_, at) => `person${at}`)
const MAX_MS = 2_000
const MAX_RATIO = 1.2
const ROUNDS = 1_000
/** Longer than `fail_timeout` of nginx: after a failed request, nginx sends nothing to that replica for that long. */
const PROXY_RETRY_MS = 2_000

let hasFailed = false
const isWanted = (part: string) => values.only === undefined || values.only === part
if (isWanted('faults')) await withFaults()
if (isWanted('rolling')) await rollingRestart()
if (isWanted('throughput')) await throughput()
if (isWanted('store')) await storeCost()
process.exitCode = hasFailed ? 1 : 0

/** An event: the part of all calls after which it happens, its name, and the function that causes it. */
type Fault = readonly [part: number, what: string, work: () => Promise<unknown>]

async function withFaults(): Promise<void> {
  await using fleet = await startFleet({ replicas: 3, principals })
  const [first, second] = fleet.replicas
  await visitWith(fleet, calls, [
    [0.2, 'a replica is killed with -9 and started again', async () => first?.end('SIGKILL').then(() => first.start())],
    [0.45, 'a replica is restarted', async () => second?.end('SIGTERM').then(() => second.start())],
    [0.7, 'Redis is restarted', async () => fleet.redis.stop().then(() => fleet.redis.start())],
  ])
}

/** Restarts all replicas, one after the other, as an update of the program does. */
async function rollingRestart(): Promise<void> {
  await using fleet = await startFleet({ replicas: 3, principals })
  const restart = async () => {
    for (const replica of fleet.replicas) {
      await replica.end('SIGTERM')
      await replica.start()
      await sleep(PROXY_RETRY_MS)
    }
    console.log('all replicas are restarted')
  }
  await visitWith(fleet, Math.max(2_000, Math.round(calls / 2)), [
    [0.1, 'the replicas are restarted one after the other', restart],
  ])
}

async function visitWith(fleet: Fleet, total: number, faults: readonly Fault[]): Promise<void> {
  const due = new Map(faults.map(([part, what, work]) => [Math.round(total * part), [what, work] as const]))
  const working: Promise<unknown>[] = []
  const report = await visit({
    url: fleet.url,
    clients,
    principals,
    calls: total,
    onCall(done) {
      const fault = due.get(done)
      if (fault === undefined) return
      console.log(`after ${done} calls: ${fault[0]}`)
      working.push(fault[1]())
    },
  })
  await Promise.all(working)
  const late = report.requests.filter(({ ms }) => ms > MAX_MS)
  const { wrong, foreign, failed, renewed, failures } = report
  printTable([
    { ...figures(report), wrong, foreign, failed, 'new sessions': renewed, [`over ${MAX_MS} ms`]: late.length },
  ])
  for (const text of failures) console.log(text)
  for (const { kind, ms, atMs } of late.slice(0, 20))
    console.log(`${kind}: ${Math.round(ms)} ms at ${Math.round(atMs)} ms`)
  // nginx sends the calls in flight of a killed replica to another replica, so they must not fail either.
  if (wrong + foreign + failed + late.length > 0) hasFailed = true
}

async function throughput(): Promise<void> {
  const some = Math.max(2_000, Math.round(calls / 5))
  const rows: Row[] = []
  for (const replicas of [1, 3]) {
    await using fleet: Fleet = await startFleet({ replicas, principals })
    await visit({ url: fleet.url, clients, principals, calls: 500 })
    rows.push({ replicas, ...figures(await visit({ url: fleet.url, clients, principals, calls: some })) })
  }
  printTable(rows)
  console.log(
    `This machine has ${availableParallelism()} cores for the clients, nginx, Redis, the gateways and their servers together.`,
  )
}

/** The same calls to a gateway with its state in memory and to a gateway with its state in Redis, in turns. */
async function storeCost(): Promise<void> {
  await using inMemory = await startFleet({ replicas: 1, principals, hasRedis: false })
  await using inRedis = await startFleet({ replicas: 1, principals })
  const fleets = [inMemory, inRedis]
  const durations = fleets.map((): number[] => [])
  for (const era of ['legacy', 'modern'] as const) {
    const clients = fleets.map(({ replicas: [replica] }) =>
      createFleetClient(replica?.url ?? '', era, tokenOf(principals[0] ?? '')),
    )
    for (const client of clients) await client.connect()
    for (let n = 0; n < ROUNDS; n++) {
      for (const [at, client] of clients.entries()) {
        const before = performance.now()
        await client.execute('echo', { text: 'x' })
        if (n >= ROUNDS / 10) durations[at]?.push(performance.now() - before)
      }
    }
  }
  const [memory = 0, redis = 0] = durations.map((list) => quantile(list, 0.5))
  const rounded = (value: number) => Math.round(value * 1_000) / 1_000
  const ratio = rounded(redis / memory)
  printTable([{ 'execute_tool over HTTP': 'p50', 'memory ms': rounded(memory), 'Redis ms': rounded(redis), ratio }])
  if (ratio > MAX_RATIO) hasFailed = true
}

function figures({ calls: done, tookMs, requests }: VisitReport): Row {
  const durations = requests.map(({ ms }) => ms)
  const at = (share: number) => Math.round(quantile(durations, share) * 10) / 10
  return {
    calls: done,
    'calls/s': Math.round(done / (tookMs / 1_000)),
    'p50 ms': at(0.5),
    'p99 ms': at(0.99),
    'max ms': at(1),
  }
}
