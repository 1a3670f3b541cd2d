// npm run bench:cli: the time of list, search and tools over cached manifests, relative to an empty Node process.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type StoredGateway, type StoredServer, storeGateway } from '../test/fixtures/stored-gateway.ts'
import { knownServers } from './known-servers.ts'
import { report } from './report.ts'
import { median } from './speed/figures.ts'

const ROUNDS = Number(process.argv[2] ?? 21)
const MAX_RATIO = 6
const MAIN = 'dist/cli/main.js'
const CASE_WITH_FAILING_SERVERS = 'search with 7 servers, 2 of which cannot start'

function timeRun(args: readonly string[], stored: StoredGateway): number {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: stored.stateHome,
    XDG_CACHE_HOME: stored.cacheHome,
    XDG_STATE_HOME: stored.stateHome,
  }
  const startedAt = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  const ms = performance.now() - startedAt
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`)
  return ms
}

/** Five known servers and two that cannot start: one lacks a variable, and the program of the other is missing. */
async function storeSeven(folder: string, servers: readonly StoredServer[]): Promise<StoredGateway> {
  await mkdir(folder)
  const stored = await storeGateway(folder, servers.slice(0, 5))
  const config = JSON.parse(await readFile(stored.config, 'utf8'))
  config.discovery.servers.unset = { command: process.execPath, env: { TOKEN: `\${TOOLCRIB_BENCH_NOT_SET}` } }
  config.discovery.servers.gone = { command: 'no-such-program-anywhere' }
  await writeFile(stored.config, JSON.stringify(config))
  return stored
}

const servers = knownServers()
const toolCount = servers.reduce((sum, { tools }) => sum + tools.length, 0)
const folder = await mkdtemp(join(tmpdir(), 'toolcrib-bench-'))
try {
  const stored = await storeGateway(folder, servers)
  const seven = await storeSeven(join(folder, 'seven'), servers)
  const over = ({ config }: StoredGateway, ...words: readonly string[]) => [MAIN, ...words, '--config', config]
  const search = over(stored, 'search', 'create issue')
  const searchSeven = over(seven, 'search', 'list')
  const cases: Readonly<Record<string, readonly [args: readonly string[], stored: StoredGateway]>> = {
    'node -e 0': [['-e', '0'], stored],
    'search "create issue"': [search, stored],
    list: [over(stored, 'list'), stored],
    'tools of one server': [over(stored, 'tools', servers[0]?.name ?? ''), stored],
    [CASE_WITH_FAILING_SERVERS]: [searchSeven, seven],
  }
  const coldMs = timeRun(search, stored)
  const cached = await readdir(join(stored.cacheHome, 'toolcrib', 'known'))
  if (cached.length !== 2) throw new Error(`The first search should have cached 2 files, but cached ${cached.length}.`)
  // The first of these searches finds that the program of one server is missing; the second writes the cached catalog.
  for (let run = 0; run < 2; run++) timeRun(searchSeven, seven)

  const taken = new Map(Object.keys(cases).map((name) => [name, [] as number[]]))
  for (let round = 0; round < ROUNDS; round++) {
    // The cases take turns, so that other load on the machine slows all of them.
    for (const [name, [args, gateway]] of Object.entries(cases)) taken.get(name)?.push(timeRun(args, gateway))
  }
  if (existsSync(stored.mark) || existsSync(seven.mark)) throw new Error('A server was started.')
  const medians = new Map([...taken].map(([name, values]) => [name, median(values)]))
  const bareMs = medians.get('node -e 0') ?? 0
  const ratioOf = (ms: number) => Math.round((ms / bareMs) * 100) / 100
  report(
    'cli',
    `The command line over ${toolCount} tools of ${servers.length} servers (median of ${ROUNDS})`,
    [
      ...[...medians].map(([name, ms]) => ({ command: name, ms: Math.round(ms), 'times node -e 0': ratioOf(ms) })),
      { command: 'the first search, once', ms: Math.round(coldMs), 'times node -e 0': ratioOf(coldMs) },
    ],
    [
      {
        what: 'search "create issue", in units of node -e 0',
        value: ratioOf(medians.get('search "create issue"') ?? 0),
        max: MAX_RATIO,
      },
      {
        what: `${CASE_WITH_FAILING_SERVERS}, in units of node -e 0`,
        value: ratioOf(medians.get(CASE_WITH_FAILING_SERVERS) ?? 0),
        max: MAX_RATIO,
      },
    ],
  )
} finally {
  await rm(folder, { recursive: true, force: true })
}
