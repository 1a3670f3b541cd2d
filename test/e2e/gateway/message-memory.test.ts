// Measures the memory of the built program for long messages, from /proc (Linux only).

import { spawn } from 'node:child_process'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { watchMemory } from '../../faults/processes.ts'
import { gatewayForTest, mainPath } from './harness.ts'
import { homeForTest } from './home.ts'
import { endChild } from './processes.ts'
import { fixtureServer } from './servers.ts'

const MEGABYTE = 1024 * 1024
const config = { discovery: { servers: { box: fixtureServer('drips') } } }

// The peak depends on when the garbage collector runs. A leak would fail every try.
describe.runIf(process.platform === 'linux')('a gateway', { timeout: 180_000, retry: 3 }, () => {
  it('the memory of the gateway grows by less than 64 MB while a server sends 200 MB without a newline, ten times in a row', async () => {
    const gateway = await gatewayForTest({ config })
    const client = await gateway.connect()
    const drip = (bytes: number, start = '') =>
      client.run({ server: 'box', tool: 'drip', arguments: { bytes, chunk: 65_536, start } })
    await drip(MEGABYTE)
    const growth = watchMemory(gateway.pid)
    for (let time = 0; time < 10; time++) {
      const start = time % 2 === 0 ? '' : '{"jsonrpc":"2.0","result":{"text":"'
      expect(await drip(200 * MEGABYTE, start)).toMatchObject({ structuredContent: { success: true } })
      expect(growth()).toBeLessThan(64)
    }
    expect(gateway.stderr).toMatch(/box.*has sent 16\d{6} bytes without a newline; at most 16777216 are read/)
    expect(gateway.stderr).toContain(`its message is ${200 * MEGABYTE} bytes long; at most 16777216 are read`)
  })

  it.each([
    { chunk: 1, bytes: MEGABYTE },
    { chunk: 61, bytes: 31 * MEGABYTE },
    { chunk: 1_000, bytes: 40 * MEGABYTE },
    { chunk: 65_536, bytes: 40 * MEGABYTE },
  ])(
    'the memory of the gateway grows by less than 64 MB while a server sends $bytes bytes in chunks of $chunk',
    async (given) => {
      const gateway = await gatewayForTest({ config })
      const client = await gateway.connect()
      await client.run({ server: 'box', tool: 'fine' })
      const growth = watchMemory(gateway.pid)
      expect(await client.run({ server: 'box', tool: 'drip', arguments: given })).toMatchObject({
        structuredContent: { success: true },
      })
      expect(growth()).toBeLessThan(64)
    },
  )

  it('the memory of the gateway grows by less than 64 MB while its client sends lines of up to 200 MB, in chunks of 7, 1,000 and 65,536 bytes', async () => {
    const home = homeForTest()
    const child = spawn(
      process.execPath,
      [mainPath(), 'serve', '--config', home.write('config.json', JSON.stringify(config))],
      {
        env: { ...process.env, ...home.env },
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    )
    onTestFinished(() => endChild(child, 'SIGKILL'))
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const write = (text: string) => new Promise<void>((resolve) => child.stdin.write(text, () => resolve()))
    const ping = async (id: string) => {
      await write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`)
      await vi.waitFor(() => expect(stdout).toContain(`"id":"${id}"`), { timeout: 60_000, interval: 20 })
    }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    await write(`${JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params })}\n`)
    // The first long message loads code and grows the heap once, so it is not measured.
    await write(`${'x'.repeat(MEGABYTE)}\n`)
    await ping('first')
    const growth = watchMemory(Number(child.pid))
    for (const chunk of [7, 1_000, 65_536]) {
      const piece = 'x'.repeat(chunk)
      const bytes = chunk === 7 ? MEGABYTE / 4 : 200 * MEGABYTE
      for (let sent = 0; sent < bytes; sent += chunk) await write(piece)
      await write('\n')
    }
    await ping('last')
    expect(growth()).toBeLessThan(64)
    expect(stderr).toMatch(/The client has sent 16\d{6} bytes without a newline; at most 16777216 are read/)
  })
})
