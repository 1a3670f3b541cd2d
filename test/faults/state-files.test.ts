// Row 22 of docs/security.md: files that are damaged, of a newer version, or on a read-only disk.

import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { run as runCommand } from '../e2e/cli/harness.ts'
import { type GatewayClient, toolNamesOf } from '../e2e/gateway/client.ts'
import { openGateway } from '../e2e/gateway/harness.ts'
import { type GatewayHome, useHome } from '../e2e/gateway/home.ts'
import { fixtureServer } from '../e2e/gateway/servers.ts'
import { faultGateway, HEALTHY, hostile } from './harness.ts'
import { makeReadOnly } from './read-only.ts'

/** The files that the next gateway reads: caches, keys, counts, the token and registrations. It does not read the logs. */
const readAgain = (home: GatewayHome) =>
  [...home.files(home.state), ...home.files(home.cache)].filter((file) => !file.endsWith('.jsonl'))

const damages: Readonly<Record<string, (bytes: Buffer) => string | Buffer>> = {
  'cut in half': (bytes) => bytes.subarray(0, bytes.length / 2),
  empty: () => '',
  'other bytes': (bytes) => Buffer.alloc(bytes.length, 0xfe),
  'valid JSON of another form': () => '{"key":1,"value":[null],"version":"x"}',
  'a value of a newer version': (bytes) => newer(bytes.toString('utf8')),
}

/**
 * Replaces the version and the value of an entry with those of a later version, and keeps its other fields. A text that is
 * not JSON gets an unknown first line.
 */
function newer(text: string): string {
  try {
    const entry = JSON.parse(text) as Record<string, unknown> // an entry of the store, or a registration
    const { configHash } = { ...(entry.value as object) } as { configHash?: string } // undefined for other values
    return JSON.stringify({
      ...entry,
      version: 999,
      value: { version: 999, format: 999, configHash, tools: { later: true } },
    })
  } catch {
    return `999\n${text}`
  }
}

const REPORTS =
  /is damaged and is treated as missing|written by another version|damaged or from another version|contained no token/

describe('row 22', () => {
  const home = useHome()
  /** This home stays writable. It has the audit logs, and a copy of the files that the first gateway wrote. */
  const writable = useHome()
  const folders = [
    [home.state, writable.at('state-copy')],
    [home.cache, writable.at('cache-copy')],
  ] as const

  const open = (name: string, added: Readonly<Record<string, object>> = {}) =>
    faultGateway({
      home,
      door: 'http',
      // Each gateway has its own audit log, so that the harness can count its records.
      auditFile: writable.at(`audit-${name}.jsonl`),
      config: { audit: { file: writable.at(`audit-${name}.jsonl`) } },
      servers: { hostile: hostile(), ...added },
    })
  const use = async (client: GatewayClient) => {
    expect((await client.run({ server: 'hostile', tool: 'fine' })).structuredContent).toMatchObject({ success: true })
    expect((await client.ask('search_tools', { query: 'fine' })).results).toContainEqual(
      expect.objectContaining({ tool: 'fine' }),
    )
    expect(await toolNamesOf(client, 'healthy-one')).toContain('pid')
  }

  const search = () => runCommand({ cwd: home.path, env: home.env }, ['search', 'pid', '--config', home.config])

  beforeAll(async () => {
    const healthy = Object.fromEntries(HEALTHY.map((name) => [name, fixtureServer('toolbox')]))
    const discovery = { listWaitMs: 30_000, servers: { ...healthy, hostile: hostile() } }
    const gateway = await openGateway({ home, door: 'http', config: { discovery } })
    await use(await gateway.connect())
    await vi.waitUntil(() => readAgain(home).length > 8, { timeout: 20_000 })
    await gateway.close()
    for (const [folder, copy] of folders) cpSync(folder, copy, { recursive: true })
  })
  beforeEach(() => {
    for (const [folder, copy] of folders) {
      rmSync(folder, { recursive: true, force: true })
      cpSync(copy, folder, { recursive: true })
    }
  })

  it('row 22: a gateway and a command write their files for this user only', async () => {
    expect((await search()).code).toBe(0)
    expect(readAgain(home).length).toBeGreaterThan(8)
    for (const file of readAgain(home)) expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600])
  })

  it.each(Object.keys(damages))(
    'row 22: a gateway and a command work with damaged files, and the gateway reports them: %s',
    async (damage) => {
      const damaged = readAgain(home)
      for (const file of damaged) writeFileSync(file, damages[damage]?.(readFileSync(file)) ?? '')
      const gateway = await open(damage.replaceAll(' ', '-'))
      await use(await gateway.connect())
      const reports = gateway.stderr.split('\n').filter((line) => REPORTS.test(line))
      // The manifests of six servers, the key of the audit log and the counts of calls.
      expect(reports.length).toBeGreaterThanOrEqual(8)
      // Pins that cannot be read are never silently replaced.
      const pins = gateway.stderr.split('\n').filter((line) => /its pins are damaged|\/pins_\w*~/.test(line))
      expect(pins.length).toBeGreaterThanOrEqual(6)
      expect((await search()).code).toBe(0)
    },
  )

  it('row 22: a gateway works with its files on a read-only disk, and reports that it cannot write', async () => {
    const restore = [makeReadOnly(home.state), makeReadOnly(home.cache)]
    onTestFinished(() => {
      for (const undo of restore) undo()
    })
    // The gateway must write a manifest for a server that it does not know yet.
    const gateway = await open('mounted', { added: fixtureServer('notes') })
    const client = await gateway.connect()
    await use(client)
    expect((await client.run({ server: 'added', tool: 'list' })).structuredContent).toMatchObject({ success: true })
    // Root gets the first reason, other users get the second.
    await expect.poll(() => gateway.stderr).toMatch(/the file system is read-only|permission denied/)
  })
})
