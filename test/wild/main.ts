// npm run test:wild [-- --short --only NAME --write]: real servers from npm behind the gateway, compared with direct calls.

import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { printTable } from '../../bench/report.ts'
import { eras } from '../e2e/gateway/client.ts'
import { type CheckOutcome, checkServer } from './check-server.ts'
import type { ChildClient } from './child-client.ts'
import { askDirectly, type DirectAnswers } from './direct.ts'
import { openGateway } from './gateway.ts'
import { checks, type ListedServer, prepareServer, readServers, type WildServer } from './servers.ts'
import { failureTexts, rowOf, type ServerReport, wildPage } from './summary.ts'

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    /** A file for the counts, in the form of vitest's JSON reporter, which scripts/ci.mjs reads. */
    outputFile: { type: 'string' },
  },
})
/** The number of servers behind one gateway: as many as a user may have, and few enough for two cores. */
const BATCH = 10
const AT_ONCE = 2
/** The time limit for the start of all servers. The gateway has the same default for each server. */
const START_MS = 120_000

const wanted = readServers('test/wild/servers.json').filter(
  ({ name, short }) => flags.only?.includes(name) ?? (!flags.short || short),
)
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-wild-run-')))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

const reports: ServerReport[] = []
const failures: string[] = []
let total = 0
for (let from = 0; from < wanted.length; from += BATCH) await runBatch(wanted.slice(from, from + BATCH), `${from}`)

printTable(reports.map(rowOf))
for (const failure of failures) console.log(`FAILED  ${failure}`)
console.log(`${total - failures.length} passed, ${failures.length} failed`)
if (flags.write) writeFileSync('docs/wild.md', wildPage(reports, 'npm run test:wild -- --write'))
if (flags.outputFile !== undefined) writeFileSync(flags.outputFile, JSON.stringify(asVitest()))
process.exitCode = failures.length === 0 && wanted.length > 0 ? 0 : 1

async function runBatch(listed: readonly ListedServer[], name: string): Promise<void> {
  const servers = await pooled(listed, (one) => prepareServer(one, join(folder, 'homes')))
  const asked = await pooled(servers, async (server) => ({ server, direct: await answersOf(server) }))
  const running = asked.flatMap(({ server, direct }) => (direct === undefined ? [] : [{ server, direct }]))
  const outcomes: CheckOutcome[] = []
  for (const era of eras) outcomes.push(...(await runGateway(join(folder, `gateway-${name}`), running, era)))
  for (const { server, direct } of running) {
    const report = { server, direct, outcomes: outcomes.filter((one) => one.server === server.name) }
    reports.push(report)
    total += report.outcomes.length
    failures.push(...failureTexts(report))
  }
}

async function answersOf(server: WildServer): Promise<DirectAnswers | undefined> {
  try {
    return await askDirectly(server)
  } catch (error) {
    // No check of this server can run, so all of them have failed.
    total += checks.length * eras.length
    for (const check of checks) {
      for (const era of eras) failures.push(`${server.name}, ${check}, ${era} era: without a gateway: ${error}`)
    }
    return undefined
  }
}

async function runGateway(
  home: string,
  running: readonly { readonly server: WildServer; readonly direct: DirectAnswers }[],
  era: (typeof eras)[number],
): Promise<readonly CheckOutcome[]> {
  console.error(`${era} era: ${running.map(({ server }) => server.alias).join(', ')}`)
  const gateway = await openGateway(
    home,
    running.map(({ server }) => server),
    era,
  )
  try {
    await startAll(gateway)
    const outcomes: CheckOutcome[] = []
    for (const { server, direct } of running) outcomes.push(...(await checkServer(gateway, server, direct)))
    return outcomes
  } finally {
    total++
    const left = await gateway.end()
    if (left.length > 0) failures.push(`${era} era: left behind: ${left.map(({ command }) => command).join(', ')}`)
  }
}

/**
 * All servers start at once, as they do for a user. The first request waits only a few seconds for slow servers, so
 * this function waits until no server is starting, at most START_MS.
 */
async function startAll(gateway: ChildClient): Promise<void> {
  await gateway.ask('search_tools', { query: 'anything' })
  const endsAt = performance.now() + START_MS
  while (JSON.stringify(await gateway.ask('list_mcp_servers', { limit: 100 })).includes('"state":"starting"')) {
    if (performance.now() > endsAt) return
    await delay(100)
  }
}

/** Runs a few at a time and keeps the order. */
async function pooled<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results = new Map<T, R>()
  const rest = [...items]
  const work = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) results.set(item, await run(item))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return items.map((item) => results.get(item) as R) // every item has run
}

function asVitest() {
  const assertionResults = failures.map((text) => ({ status: 'failed', fullName: text, failureMessages: [text] }))
  return {
    numPassedTests: total - failures.length,
    numFailedTests: failures.length,
    testResults: [{ name: 'test/wild/servers.json', assertionResults }],
  }
}
