// Row 22 of docs/security.md: files that are damaged, of a newer version, or on a read-only disk.

import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { run as runCommand } from '../e2e/cli/harness.ts'
import { type GatewayHome, useHome } from '../e2e/gateway/home.ts'
import { faultGateway, hostile } from './harness.ts'
import { makeReadOnly } from './read-only.ts'

/** The files that a gateway reads again: caches, keys, counts, the token and registrations. The logs are only written. */
const readAgain = (home: GatewayHome) =>
  [...home.files(home.state), ...home.files(home.cache)].filter((file) => !file.endsWith('.jsonl'))

const damages: Readonly<Record<string, (bytes: Buffer) => string | Buffer>> = {
  'cut in half': (bytes) => bytes.subarray(0, bytes.length / 2),
  empty: () => '',
  'other bytes': (bytes) => Buffer.alloc(bytes.length, 0xfe),
  'valid JSON of another form': () => '{"key":1,"value":[null],"version":"x"}',
  'a value of a newer version': (bytes) => newer(bytes.toString('utf8')),
}

/** Keeps the frame of an entry, and replaces its value by one that only a later version understands. */
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

const REPORTS = /is damaged and is treated as missing|written by another version|contained no token/

describe('row 22', () => {
  const source = useHome()
  const home = useHome()

  const open = (name: string) =>
    faultGateway({
      home,
      door: 'http',
      // A log for each run, so that the records can be counted. It is on a disk that can be written.
      auditFile: source.at(`audit-${name}.jsonl`),
      config: { audit: { file: source.at(`audit-${name}.jsonl`) } },
      servers: { hostile: hostile() },
    })
  const use = async (gateway: Awaited<ReturnType<typeof open>>) => {
    const client = await gateway.connect()
    expect((await client.run({ server: 'hostile', tool: 'fine' })).structuredContent).toMatchObject({ success: true })
    expect((await client.ask('search_tools', { query: 'fine' })).results).toContainEqual(
      expect.objectContaining({ tool: 'fine' }),
    )
    const tools = (await client.ask('list_tools', { server: 'healthy-one' })).tools
    expect((tools as { name: string }[]).map(({ name }) => name)).toContain('pid')
  }

  it('row 22: a first run writes its files for this user only', async () => {
    const gateway = await open('first')
    await use(gateway)
    await expect.poll(() => readAgain(home).length).toBeGreaterThan(8)
    const { code } = await runCommand({ cwd: home.path, env: { ...home.env } }, [
      'search',
      'pid',
      '--config',
      home.config,
    ])
    expect(code).toBe(0)
    for (const file of readAgain(home)) expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600])
  })

  it.each(Object.keys(damages))(
    'row 22: a gateway with damaged files starts afresh and reports them: %s',
    async (damage) => {
      const damaged = readAgain(home)
      for (const file of damaged) writeFileSync(file, damages[damage]?.(readFileSync(file)) ?? '')
      const gateway = await open(damage.replaceAll(' ', '-'))
      await use(gateway)
      const reports = gateway.stderr.split('\n').filter((line) => REPORTS.test(line))
      // Every server has a manifest. The key of the audit log and the numbers of calls are in the same store.
      expect(reports.length).toBeGreaterThanOrEqual(8)
      // Pins that cannot be read are never silently replaced.
      const pins = gateway.stderr.split('\n').filter((line) => /its pins are damaged|\/pins_\w*~/.test(line))
      expect(pins.length).toBeGreaterThanOrEqual(6)
      const { code } = await runCommand({ cwd: home.path, env: { ...home.env } }, [
        'search',
        'pid',
        '--config',
        home.config,
      ])
      expect(code).toBe(0)
    },
  )

  it('row 22: a gateway works with its files on a read-only disk, and reports that it cannot write', async () => {
    const restore = [makeReadOnly(home.state), makeReadOnly(home.cache)]
    onTestFinished(() => {
      for (const undo of restore) undo()
    })
    const gateway = await open('read-only')
    await use(gateway)
    expect(gateway.stderr).toMatch(/read-only|EROFS|permission/i)
  })
})
