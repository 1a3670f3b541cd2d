// npm run soak -- --minutes N: mixed traffic over HTTP while servers die, the config changes and clients connect and
// leave. It fails if memory, descriptors or processes still grow at the end, if an answer is wrong, if a connection
// breaks, or if the gateway ends early or leaves processes behind.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { printTable } from './report.ts'
import { type ResourceSample, SLACK, trendOf } from './soak/trend.ts'
import { type Tally, visitUntil } from './soak/visitors.ts'
import { killOnExit } from './speed/kill-on-exit.ts'
import { descendantsOf, openDescriptors, residentMegabytes } from './speed/process-facts.ts'
import { MAIN, UPSTREAM } from './speed/targets.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new Error('--minutes takes a number above 0.')
const SAMPLE_MS = Math.min(2_000, (minutes * 60_000) / 60)
const KILL_EVERY_MS = 3_000
const EDIT_EVERY_MS = 15_000
const VISITORS = 6
/** How long the child processes may run after the gateway has ended. */
const GRACE_MS = 5_000

const folder = await mkdtemp(join(tmpdir(), 'toolcrib-soak-'))
const config = join(folder, 'config.json')

/** The config edits remove one server and add it again, in turn. */
async function writeConfig(edit: number): Promise<void> {
  const names = Array.from({ length: edit % 2 === 0 ? 6 : 5 }, (_, at) => `server-${at}`)
  const servers = Object.fromEntries(names.map((name) => [name, { command: process.execPath, args: [UPSTREAM] }]))
  await writeFile(
    config,
    JSON.stringify({ discovery: { servers, toolRules: [{ pattern: [`*never-${edit}*`], enabled: false }] } }),
  )
}

await writeConfig(0)
const gateway = spawn(
  process.execPath,
  [MAIN, 'serve', '--http', '--port', '0', '--no-auth', '--quiet', '--config', config],
  {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      XDG_CACHE_HOME: join(folder, 'c'),
      XDG_STATE_HOME: join(folder, 's'),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  },
)
gateway.once('exit', killOnExit(gateway))
const [line] = await once(createInterface({ input: gateway.stdout }), 'line')
const url = new URL(String(line))
const pid = gateway.pid ?? 0

const startedAt = Date.now()
const isOver = () => gateway.exitCode !== null || Date.now() - startedAt >= minutes * 60_000
const tally: Tally = { calls: 0, visits: 0, refused: 0, faults: [] }
let [killed, edits] = [0, 0]
const samples: ResourceSample[] = []

async function every(ms: number, work: () => unknown): Promise<void> {
  while (!isOver()) {
    await delay(ms)
    if (!isOver()) await work()
  }
}

await Promise.all([
  ...Array.from({ length: VISITORS }, (_, number) => visitUntil(url, isOver, tally, number)),
  every(KILL_EVERY_MS, () => {
    const servers = descendantsOf(pid).filter(({ command }) => command.includes(UPSTREAM))
    const victim = servers[killed % Math.max(1, servers.length)]
    if (victim === undefined) return
    process.kill(victim.pid, 'SIGKILL')
    killed++
  }),
  every(EDIT_EVERY_MS, () => writeConfig(++edits)),
  every(SAMPLE_MS, () => {
    samples.push({
      atMs: Date.now() - startedAt,
      residentMegabytes: residentMegabytes(pid),
      descriptors: openDescriptors(pid),
      processes: descendantsOf(pid).length,
    })
  }),
])

const hasDied = gateway.exitCode !== null
const children = descendantsOf(pid).map((child) => child.pid)
const ended = once(gateway, 'exit')
if (!hasDied) {
  gateway.kill()
  await ended
}
// The watchdog process ends shortly after the gateway.
for (let waited = 0; waited < GRACE_MS && children.some(isAlive); waited += 100) await delay(100)
const left = children.filter(isAlive)
await rm(folder, { recursive: true, force: true })

function isAlive(child: number): boolean {
  try {
    return process.kill(child, 0)
  } catch {
    return false
  }
}

const { calls, visits, refused, faults } = tally
console.log(
  `\n${calls} requests of ${visits} clients in ${minutes} min; ${killed} servers killed, ${edits} config edits, ${refused} errors`,
)
const trends = (['residentMegabytes', 'descriptors', 'processes'] as const).map((what) => trendOf(what, samples))
printTable(
  trends.map(({ what, middle, last, hasStoppedGrowing }) => ({
    what,
    'at 40-60 %': Math.round(middle),
    'at 80-100 %': Math.round(last),
    'may grow by': SLACK[what],
    verdict: hasStoppedGrowing ? 'holds' : 'BROKEN',
  })),
)
const problems = [
  ...(hasDied ? ['The gateway ended by itself.'] : []),
  ...faults,
  ...(left.length === 0 ? [] : [`Processes left behind: ${left.join(', ')}`]),
]
for (const problem of problems) console.log(`BROKEN  ${problem}`)
if (problems.length > 0 || trends.some(({ hasStoppedGrowing }) => !hasStoppedGrowing)) process.exitCode = 1
