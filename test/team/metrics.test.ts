// Metrics of a running gateway, read as Prometheus reads them.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { METRICS } from '../../src/front/metrics/metric-table.ts'
import { ask, initialize, startSession } from '../../src/front/raw-client.fixture.ts'
import { gatewayForTest, useGateway } from '../e2e/gateway/harness.ts'
import { homeForTest } from '../e2e/gateway/home.ts'
import { fixtureServer, missing } from '../e2e/gateway/servers.ts'
import { type PrometheusSample, parsePrometheus } from './prometheus.ts'

const ALICE = 'alice-0123456789abcdef'
const SCRAPER = 'scraper-0123456789abcd'
const tokens = { alice: ALICE, scraper: SCRAPER }
const discovery = {
  listWaitMs: 30_000,
  servers: { notes: fixtureServer('notes'), broken: missing },
}

const scrape = async (port: number, token: string | undefined, path = '/metrics') => {
  const authorization = token === undefined ? undefined : `Bearer ${token}`
  return ask(port, { method: 'GET', path, headers: { authorization } })
}

describe('the metrics of a gateway', () => {
  const metrics = { enabled: true, principals: ['scraper'], maxTools: 2 }
  const gateway = useGateway({ door: 'http', config: { http: { tokens, metrics }, discovery } })
  const port = () => Number(new URL(gateway().url).port)
  const samples = async () => parsePrometheus((await scrape(port(), SCRAPER)).text)
  const value = async (name: string, labels: PrometheusSample['labels'] = {}) =>
    (await samples())
      .filter((one) => one.name === name && Object.entries(labels).every(([key, text]) => one.labels[key] === text))
      .reduce((sum, one) => sum + one.value, 0)

  it('the metrics count calls, errors by code, times, searches, starts and sessions', async () => {
    const legacy = await gateway().connect({ token: ALICE })
    const modern = await gateway().connect({ token: ALICE, era: 'modern' })
    for (const client of [legacy, modern]) {
      await client.list()
      await client.run({ server: 'notes', tool: 'list', arguments: {} })
      await client.run({ server: 'notes', tool: 'no-such-tool', arguments: {} })
      await client.run({ server: 'invented-by-a-client', tool: 'x', arguments: {} })
      await client.run({ server: 'broken', tool: 'x', arguments: {} })
      await client.ask('search_tools', { query: 'list all notes' })
      await client.ask('search_tools', { query: 'zzqxv' })
    }
    expect(await value(METRICS.calls.name, { server: 'notes', tool: 'list', code: 'ok' })).toBe(2)
    expect(await value(METRICS.calls.name, { server: 'unknown', tool: 'unknown' })).toBeGreaterThanOrEqual(4)
    expect(await value(METRICS.calls.name, { code: 'TOOL_NOT_FOUND' })).toBe(2)
    expect(await value(METRICS.calls.name, { code: 'SERVER_NOT_FOUND' })).toBe(2)
    expect(await value(METRICS.calls.name, { server: 'broken', code: 'SERVER_UNAVAILABLE' })).toBe(2)
    expect(await value(`${METRICS.callSeconds.name}_count`, { server: 'notes', tool: 'list' })).toBe(2)
    expect(await value(`${METRICS.callSeconds.name}_bucket`, { server: 'notes', tool: 'list', le: '+Inf' })).toBe(2)
    expect(await value(METRICS.searches.name, { outcome: 'found' })).toBe(2)
    expect(await value(METRICS.searches.name, { outcome: 'nothing' })).toBe(2)
    expect(await value(METRICS.starts.name, { server: 'notes', outcome: 'ok' })).toBe(1)
    expect(await value(METRICS.starts.name, { server: 'broken', outcome: 'failed' })).toBeGreaterThanOrEqual(1)
    expect(await value(METRICS.states.name, { server: 'notes', state: 'connected' })).toBe(1)
    expect(await value(METRICS.states.name, { server: 'notes', state: 'failed' })).toBe(0)
    expect(await value(METRICS.sessions.name)).toBe(1)
    await expect.poll(() => value(METRICS.listTokens.name, { list: 'served' })).toBeGreaterThan(100)
    await expect.poll(() => value(METRICS.listTokens.name, { list: 'full' })).toBeGreaterThan(0)
  })

  it('the metrics have bounded labels, and never a name that a client invents', async () => {
    const client = await gateway().connect({ token: ALICE, era: 'modern' })
    for (const tool of ['add', 'read', 'remove', 'list']) await client.run({ server: 'notes', tool, arguments: {} })
    const all = await samples()
    const ofNotes = all.filter(({ name, labels }) => name === METRICS.calls.name && labels.server === 'notes')
    // `maxTools` is 2: the test above has called `notes:list` and `broken:x` first. All further tools share one label.
    expect(new Set(ofNotes.map(({ labels }) => labels.tool))).toEqual(new Set(['list', 'other']))
    expect(JSON.stringify(all)).not.toMatch(/invented-by-a-client|no-such-tool/)
  })

  it('the metrics count responses and refused logins', async () => {
    await ask(port(), { body: initialize() })
    await ask(port(), { body: initialize(), headers: { authorization: 'Bearer wrong-0123456789abcdef' } })
    await expect.poll(() => value(METRICS.responses.name, { status: '401' })).toBe(2)
    expect(await value(METRICS.refusedLogins.name, { reason: 'no-token' })).toBe(1)
    expect(await value(METRICS.refusedLogins.name, { reason: 'unknown-token' })).toBe(1)
  })

  it('the metrics page has every metric of METRICS, and those of the process', async () => {
    const { text, headers } = await scrape(port(), SCRAPER)
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
    for (const { name, type } of Object.values(METRICS)) expect(text).toContain(`# TYPE ${name} ${type}`)
    expect(text).toContain('process_resident_memory_bytes')
  })

  it('the metrics need the token of a principal that may read them', async () => {
    const status = async (token: string | undefined) => (await scrape(port(), token)).status
    expect([await status(undefined), await status('wrong-0123456789abcdef')]).toEqual([401, 401])
    expect([await status(ALICE), await status(SCRAPER)]).toEqual([403, 200])
    const { text } = await scrape(port(), ALICE)
    expect(text).toContain("The token of 'alice' is valid, but may not read the metrics")
    expect(text).toContain('http.metrics.principals')
  })
})

const quiet = { servers: { known: { ...missing, tools: [{ name: 'x' }] } } }

it('metrics are below the base path, and public if the config allows it', async () => {
  const http = { tokens, basePath: '/tools', metrics: { enabled: true, public: true } }
  const gateway = await gatewayForTest({ door: 'http', config: { http, discovery: quiet } })
  const port = Number(new URL(gateway.url).port)
  expect((await scrape(port, undefined, '/tools/metrics')).status).toBe(200)
  expect((await scrape(port, undefined)).status).toBe(404)
  const headers = { host: 'evil.example' }
  expect((await ask(port, { method: 'GET', path: '/tools/metrics', headers })).status).toBe(403)
})

it('metrics are off by default: the path does not exist', async () => {
  const gateway = await gatewayForTest({ door: 'http', config: { http: { tokens }, discovery: quiet } })
  const port = Number(new URL(gateway.url).port)
  await startSession(port, { authorization: `Bearer ${ALICE}` })
  expect((await scrape(port, ALICE)).status).toBe(404)
})

it('a gateway without prom-client does not start with metrics, and the errors of serve and config validate have the command to install it', async () => {
  const home = homeForTest()
  // A copy of the program outside of the project has no packages beside it.
  const root = fileURLToPath(new URL('../..', import.meta.url))
  mkdirSync(home.at('program'))
  for (const name of ['dist', 'package.json']) cpSync(join(root, name), home.at('program', name), { recursive: true })
  const start = (enabled: boolean) => {
    const file = home.write('gateway.json', { http: { metrics: { enabled } }, discovery: quiet })
    const program = [home.at('program', 'dist', 'cli', 'main.js'), 'serve', '--http', '--port', '0', '--config', file]
    return gatewayForTest({ door: 'http', home, program })
  }
  await start(false)
  await expect(start(true)).rejects.toThrow(/'prom-client', which is not installed[\s\S]*npm install prom-client/)
  const main = home.at('program', 'dist', 'cli', 'main.js')
  const validate = [main, 'config', 'validate', '--config', home.at('gateway.json')]
  const { status, stdout } = spawnSync(process.execPath, validate, { env: home.env, encoding: 'utf8' })
  expect(status).toBe(2)
  expect(stdout).toContain('npm install prom-client')
})
