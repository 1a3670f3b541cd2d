// A server as a child process: its output on stdout and stderr, and its end.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { covers, entryPath } from './harness.ts'

const children: ChildProcessWithoutNullStreams[] = []
// Kills only processes that a failed test has left; in other tests the process ends by itself.
afterEach(() => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill()
})

function start(variant: string, strategy = 'individual'): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [entryPath(), variant, strategy])
  children.push(child)
  return child
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'e2e', version: '1.0.0' } },
}
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
const callOf = (id: number, name: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
})

/** A server without a `transport` option. */
const SERVE_ANYWHERE = `
import { createMcpServer } from '${new URL('../../build/src/index.js', import.meta.url).href}'
const server = createMcpServer({ name: 'anywhere', version: '1.0.0', commands: [], port: 0 })
await server.start()
console.log(server.getUrl())
`

describe('a server with transport `auto` and no client at its stdin', () => {
  it('transport `auto` chooses HTTP if stdin is a device, and prints the address and the reason', async () => {
    covers('PN-4')
    // The same stdin as under a service manager, or with `< /dev/null`.
    const child = spawn(process.execPath, ['--input-type=module', '--eval', SERVE_ANYWHERE], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    try {
      const lines = createInterface({ input: child.stdout })
      const errors = createInterface({ input: child.stderr })
      const [[url], [said]] = await Promise.all([once(lines, 'line'), once(errors, 'line')])
      expect(said).toBe(`anywhere: serving over HTTP on ${url}/mcp, because stdin is a device (transport: 'auto')`)
      expect((await fetch(`${url}/health`)).status).toBe(200)
    } finally {
      child.kill()
    }
  })
})

describe('a stdio server', () => {
  it('transport `auto` chooses stdio if stdin is piped, and the server ends with its client', async () => {
    covers('PN-4', 'ST-1')
    const child = start('shop')
    const errors = text(child.stderr)
    const lines = createInterface({ input: child.stdout })
    child.stdin.write(`${JSON.stringify(initialize)}\n`)
    const [line] = await once(lines, 'line')
    expect(JSON.parse(line)).toMatchObject({ id: 1, result: { serverInfo: { name: 'shop-shop' } } })
    child.stdin.end()
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(await errors).toBe("shop-shop: serving over stdio, because stdin is a socket (transport: 'auto')\n")
  })

  it('the server prints once on stderr which listing the strategy `auto` has chosen, and why', async () => {
    const child = start('shop', 'auto')
    const errors = text(child.stderr)
    const lines = createInterface({ input: child.stdout })
    const list = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} })
    for (const message of [initialize, initialized, list(2), list(3)]) child.stdin.write(`${JSON.stringify(message)}\n`)
    for await (const line of lines) if (JSON.parse(line).id === 3) break
    child.stdin.end()
    await once(child, 'exit')
    expect((await errors).match(/^shop-shop: auto lists as individual: \d+ tools cost [\d,]+ tokens/gm)).toHaveLength(1)
  })

  it.each([
    ['trouble', false],
    ['troubleInDevMode', true],
  ])('the server writes the error of a handler to stderr; variant %s, with stack: %s', async (variant, hasStack) => {
    covers('BI-4')
    const child = start(variant)
    const errors = text(child.stderr)
    const lines = createInterface({ input: child.stdout })
    for (const message of [initialize, initialized, callOf(2, 'throw-error')])
      child.stdin.write(`${JSON.stringify(message)}\n`)
    for await (const line of lines) if (JSON.parse(line).id === 2) break
    child.stdin.end()
    await once(child, 'exit')
    expect(await errors).toContain(
      hasStack ? "'throw-error' threw: Error: boom\n    at " : "'throw-error' threw: boom\n",
    )
    expect(/\n {4}at /.test(await errors)).toBe(hasStack)
  })

  it('the server writes only protocol messages to stdout, even if a handler throws', async () => {
    covers('ST-1', 'BI-4')
    const child = start('trouble')
    const output = text(child.stdout)
    const lines = createInterface({ input: child.stdout })
    child.stderr.resume()
    for (const message of [initialize, initialized, callOf(2, 'throw-error')])
      child.stdin.write(`${JSON.stringify(message)}\n`)
    for await (const line of lines) if (JSON.parse(line).id === 2) break
    child.stdin.end()
    await once(child, 'exit')
    for (const line of (await output).trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
  })

  it('the server answers the call that stops the server, and ends', async () => {
    covers('HT-3', 'ST-1')
    const child = start('watched')
    const output = text(child.stdout)
    for (const message of [initialize, initialized, callOf(2, 'shop-stop')])
      child.stdin.write(`${JSON.stringify(message)}\n`)
    expect(await once(child, 'exit')).toEqual([0, null])
    const answers = (await output).trim().split('\n')
    expect(answers.map((line) => JSON.parse(line)).find(({ id }) => id === 2)).toMatchObject({
      result: { structuredContent: { success: true, data: { stopping: true } } },
    })
  })

  // On other platforms the server detects a closed stdout only when it writes.
  it.skipIf(process.platform !== 'linux')(
    'the server ends when its client has disconnected, even while a command is running',
    async () => {
      covers('ST-1', 'HT-4')
      const child = start('watched')
      const lines = createInterface({ input: child.stdout })
      const messages = [initialize, initialized, callOf(2, 'job-wait'), callOf(3, 'status')]
      for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`)
      // The waiting call has started when the call after it is answered.
      for await (const line of lines) if (JSON.parse(line).id === 3) break
      child.stdin.destroy()
      child.stdout.destroy()
      expect(await once(child, 'exit')).toEqual([0, null])
    },
  )
})
