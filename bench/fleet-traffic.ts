// npm run fleet:traffic: the control traffic of 1,000 replicas on a real Redis (revocations, list changes, config versions),
// and its cost: commands and bytes per second, the CPU time of Redis, and the delay until the last replica has the change.

import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { runScript } from '../src/storage/redis-scripts.ts'
import { entryKeys } from '../src/storage/redis-store-base.ts'
import { startRedis } from '../test/fixtures/fleet/redis-server.ts'
import { printTable } from './report.ts'
import { quantile } from './speed/figures.ts'

const { values } = parseArgs({
  options: {
    replicas: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '10' },
    /** Changes per second of the whole fleet. */
    rate: { type: 'string', default: '5' },
  },
})
const [replicas, seconds, rate] = [values.replicas, values.seconds, values.rate].map(Number) as [number, number, number]

/** The changes that are sent to every replica. */
const CHANGES = [
  { what: 'token revoked', part: 'state', key: 'token/revoked' },
  { what: 'list changed', part: 'manifests', key: 'manifest:0123456789abcdef' },
  { what: 'config version', part: 'state', key: 'configs/all' },
] as const

await using server = await startRedis()
const options = { host: '127.0.0.1', port: server.port }
const writer = new Redis(options)
const delaysMs: number[] = []
let received = 0
const subscribers = Array.from({ length: replicas }, () => new Redis({ ...options, lazyConnect: true }))
const channels = [...new Set(CHANGES.map(({ part, key }) => entryKeys('toolcrib', part).channelOf(key)))]
for (let at = 0; at < subscribers.length; at += 50) {
  await Promise.all(
    subscribers.slice(at, at + 50).map(async (subscriber) => {
      await subscriber.connect()
      subscriber.on('message', () => {
        received += 1
      })
      await subscriber.subscribe(...channels)
    }),
  )
}

/** Each replica announces the version of its config every 10 s, and reads the versions of the others. */
const HEARTBEAT_MS = 10_000
const state = entryKeys('toolcrib', 'state')
const heartbeatsPerTick = replicas / (HEARTBEAT_MS / 100)
let heartbeats = 0
let due = 0
const heartbeatTimer = setInterval(() => {
  for (due += heartbeatsPerTick; due >= 1; due--) {
    heartbeats += 1
    const key = 'config/0123456789abcdef'
    const args = [state.channelOf(key), state.toName(key), 'true', 3 * HEARTBEAT_MS]
    void runScript(writer, 'set', state.toName(key), args).then(() => writer.get(state.toName('configs/all')))
  }
}, 100)

const before = await usedBy(writer)
const startedAt = performance.now()
let sent = 0
while (performance.now() - startedAt < seconds * 1_000) {
  const change = CHANGES[sent % CHANGES.length]
  if (change === undefined) break
  const keys = entryKeys('toolcrib', change.part)
  const expected = received + replicas
  const changedAt = performance.now()
  await runScript(writer, 'set', keys.toName(change.key), [
    keys.channelOf(change.key),
    keys.toName(change.key),
    '{"at":1}',
    60_000,
  ])
  sent += 1
  while (received < expected) await new Promise((resolve) => setImmediate(resolve))
  delaysMs.push(performance.now() - changedAt)
  const restMs = startedAt + (sent / rate) * 1_000 - performance.now()
  if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
}
const tookS = (performance.now() - startedAt) / 1_000
clearInterval(heartbeatTimer)
const after = await usedBy(writer)
const delayAt = (share: number) => Math.round(quantile(delaysMs, share))
printTable([
  {
    replicas,
    'changes/s': Math.round((sent / tookS) * 10) / 10,
    'heartbeats/s': Math.round(heartbeats / tookS),
    'messages/s': Math.round(received / tookS),
    'KB/s out': Math.round((after.bytesOut - before.bytesOut) / 1_024 / tookS),
    'Redis CPU %': Math.round(((after.cpuS - before.cpuS) / tookS) * 1_000) / 10,
    'Redis MB': Math.round(after.memoryBytes / 1_048_576),
    'last replica, p50 ms': delayAt(0.5),
    'last replica, worst ms': delayAt(1),
  },
])
console.log('The delay includes the time in which this one process reads the message for every replica.')
for (const one of [writer, ...subscribers]) one.disconnect()

async function usedBy(
  redis: Redis,
): Promise<{ readonly cpuS: number; readonly bytesOut: number; readonly memoryBytes: number }> {
  const text = await redis.info()
  const field = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)?.[1])
  return {
    cpuS: field('used_cpu_user') + field('used_cpu_sys'),
    bytesOut: field('total_net_output_bytes'),
    memoryBytes: field('used_memory'),
  }
}
