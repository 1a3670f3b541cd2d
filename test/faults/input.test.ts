// Rows 6 and 8 to 10 of docs/security.md: names, bodies, schemas, keys and rules that could confuse or block a gateway.

import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, LEGACY, startSession } from '../../src/front/raw-client.fixture.ts'
import { run as runCommand } from '../e2e/cli/harness.ts'
import { useHome } from '../e2e/gateway/home.ts'
import { atMost, HEALTHY, hostile, report, useFaultGateway } from './harness.ts'
import { cpuMsOf, watchMemory } from './processes.ts'

const MEGABYTE = 2 ** 20
/** Counts the requests to the address in a `$ref` of a schema, which must never be fetched. */
let contacts = 0
const listener = createServer((_request, response) => {
  contacts++
  response.end('{}')
})
beforeAll(() => new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise((resolve) => listener.close(resolve)))

const home = useHome()
const logged = (mode: string, more: Readonly<Record<string, string>> = {}) =>
  hostile(mode, { HOSTILE_LOG: home.at(`${mode}.log`), ...more })
const calls = (mode: string) => home.lines(`${mode}.log`).filter((line) => line.startsWith('call '))

const EVIL = ['/(a+)+$/', '/(a|a)*b/', '/(a*)*c/', '/^(([a-z])+.)+[A-Z]([a-z])+$/', '*a*a*a*a*a*a*a*a*b']
const MAX_PATTERNS = 1_000
/** This many rules: one half globs, the other half regular expressions. */
const rulesOf = (count: number, salt = randomUUID().slice(0, 8)) =>
  // The salt makes them new, because compiled patterns are cached.
  Array.from({ length: count }, (_, at) => ({
    pattern: at % 2 === 0 ? `nothing_${salt}_${at}_*` : `/^nothing_${salt}_${at}_(x+)+$/`,
    enabled: false,
  }))
const toolRules = [{ server: 'keys', pattern: '/^read$/', enabled: false }]

const stallFile = home.at('stall')
const stallWatch = new URL('../../build/test/faults/stall-watch.js', import.meta.url)

const gateway = useFaultGateway(() => ({
  home,
  door: 'http',
  env: { NODE_OPTIONS: `--import=${stallWatch}`, STALL_FILE: stallFile },
  config: { discovery: { toolRules } },
  servers: {
    names: logged('names'),
    keys: logged('keys'),
    schemas: logged('schemas', { SCHEMA_URL: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/schema` }),
  },
}))

describe('row 6', () => {
  it('row 6: tools with the same name, a name of the gateway or a look-alike are never called in place of each other', async () => {
    const client = await gateway().connect()
    // On a busy machine, a call by name does not wait until every server has listed its tools.
    await expect
      .poll(() => client.ask('execute_tool', { tool: 'pid' }), { interval: 200 })
      .toMatchObject({
        error: { code: 'TOOL_AMBIGUOUS', details: { servers: expect.arrayContaining(['names', ...HEALTHY]) } },
      })
    const text = async (args: object) => (await client.run({ ...args })).content[0]
    for (const tool of ['pid', 'execute_tool', 'search_tools', 'p\u0456d']) {
      expect(await text({ server: 'names', tool })).toMatchObject({ text: `hostile ${tool}` })
      expect(await text({ tool: `names:${tool}` })).toMatchObject({ text: `hostile ${tool}` })
    }
    // The name with a Cyrillic letter is not another name of the real tool, and the real one stays where it is.
    expect(await text({ tool: 'p\u0456d' })).toMatchObject({ text: 'hostile p\u0456d' })
    expect(await client.ask('execute_tool', { server: 'healthy-one', tool: 'pid' })).toEqual({
      pid: expect.any(Number),
    })
    expect(await client.ask('execute_tool', { server: 'healthy-one', tool: 'p\u0456d' })).toMatchObject({
      error: { code: 'TOOL_NOT_FOUND' },
    })
    // The gateway's own tools are still its own.
    expect(await client.ask('search_tools', { query: 'pid', limit: 1 })).toHaveProperty('results')
    expect(calls('names')).toHaveLength(9)
  })

  it('row 6: doctor and get_tool_details warn about look-alikes and names of the gateway', async () => {
    const client = await gateway().connect()
    const warningsOf = async (tool: string) =>
      (await client.ask('get_tool_details', { server: 'names', tool })).warnings
    expect(await warningsOf('execute_tool')).toEqual([expect.stringContaining('the name of a tool of Toolcrib itself')])
    expect(await warningsOf('p\u0456d')).toEqual([expect.stringContaining('U+0456')])
    expect(await warningsOf('pid')).toBeUndefined()
    const { stdout } = await runCommand({ cwd: home.path, env: { ...home.env } }, [
      'doctor',
      'names',
      '--config',
      home.config,
    ])
    expect(stdout).toContain('U+0456')
    expect(stdout).toContain('the name of a tool of Toolcrib itself')
  })
})

describe('row 8', () => {
  const initializeOf = (bytes: number) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'x'.repeat(bytes), version: '1' } },
    })

  it('row 8: a body of 11 MB, with a length or chunked, is refused with 413 or a closed connection, and the memory stays bounded', async () => {
    const growth = watchMemory(gateway().pid)
    const started = performance.now()
    const declared = await ask(gateway().port, { headers: gateway().headers, body: initializeOf(11 * MEGABYTE) }).catch(
      // The gateway may close the connection before the whole body is sent.
      () => ({ status: 413 }),
    )
    expect(declared.status).toBe(413)
    const status = await new Promise<number>((resolve) => {
      const headers = { ...gateway().headers, 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
      const sending = request({ port: gateway().port, path: '/mcp', method: 'POST', headers }, (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      sending.on('error', () => resolve(413))
      const body = initializeOf(11 * MEGABYTE)
      for (let at = 0; at < body.length; at += MEGABYTE) sending.write(body.slice(at, at + MEGABYTE))
      sending.end()
    })
    expect(status).toBe(413)
    expect(performance.now() - started).toBeLessThan(atMost(2_000))
    expect(growth()).toBeLessThan(64)
  })

  it('row 8: arguments with 100,000 levels are refused with an error in under 1 s', async () => {
    const session = await startSession(gateway().port, gateway().headers)
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const started = performance.now()
    const { status, messages } = await session.ask(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_tool","arguments":{"tool":"keys:echo","arguments":{"value":${deep}}}}}`,
    )
    const elapsed = performance.now() - started
    report(`row 8: 100,000 levels were answered with ${status} after ${Math.round(elapsed)} ms`)
    expect(elapsed).toBeLessThan(atMost(1_000))
    const [message] = messages
    expect(message?.error !== undefined || message?.result?.isError === true || status >= 400).toBe(true)
    expect(calls('keys').filter((line) => line.startsWith('call echo'))).toEqual([])
    if (status === 200) gateway().attempted(1)
    await session.end()
  })

  it('row 8: a schema with 2^20 branches takes under 1 s, and a $ref to another address is never fetched', async () => {
    const client = await gateway().connect()
    for (const tool of ['branches', 'remote', 'slow-pattern']) {
      const started = performance.now()
      await client.run({ server: 'schemas', tool, arguments: { value: `${'a'.repeat(5_000)}!` } })
      expect(await client.ask('get_tool_details', { server: 'schemas', tool, schema: true })).toHaveProperty('schema')
      expect(await client.ask('get_tool_details', { server: 'schemas', tool })).toHaveProperty('parameters')
      const elapsed = performance.now() - started
      report(`row 8: the schema of '${tool}' took ${Math.round(elapsed)} ms`)
      expect(elapsed).toBeLessThan(atMost(1_000))
    }
    expect(contacts).toBe(0)
  })
})

describe('row 9', () => {
  it('row 9: __proto__, constructor and keys that differ only in case reach the server as they were sent, and pollute nothing', async () => {
    const session = await startSession(gateway().port, gateway().headers)
    const sent =
      '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}},"Path":1,"path":2,"PATH":3}'
    const run = (tool: string, args: string) => {
      gateway().attempted(1)
      return session.ask(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_tool","arguments":{"server":"keys","tool":${JSON.stringify(tool)},"arguments":${args}}}}`,
      )
    }
    await run('echo', sent)
    expect(calls('keys').at(-1)).toBe(`call echo ${sent}`)
    // A polluted prototype would have the field that this tool requires.
    const { messages } = await run('needs-polluted', '{}')
    expect(messages[0]?.result?.structuredContent).toMatchObject({ error: { code: 'VALIDATION_ERROR' } })
    await session.end()
  })

  it('row 9: a rule and the server see the same name of a tool, even if names differ only in case or are inherited properties', async () => {
    const client = await gateway().connect()
    for (const tool of ['Read', 'constructor', '__proto__']) {
      await client.run({ server: 'keys', tool })
      expect(calls('keys').at(-1)).toBe(`call ${tool} {}`)
    }
    const count = calls('keys').length
    expect(await client.ask('execute_tool', { server: 'keys', tool: 'read' })).toMatchObject({
      error: { code: 'TOOL_DISABLED' },
    })
    for (const tool of ['READ', 'toString', 'hasOwnProperty']) {
      expect(await client.ask('execute_tool', { server: 'keys', tool })).toMatchObject({
        error: { code: 'TOOL_NOT_FOUND' },
      })
    }
    expect(calls('keys')).toHaveLength(count)
  })
})

describe('row 10', () => {
  /** Starts a measurement. The returned function ends it and resolves to the longest block of the event loop, in ms. */
  const watchStalls = () => {
    rmSync(stallFile, { force: true })
    process.kill(gateway().pid, 'SIGUSR2')
    return async () => {
      process.kill(gateway().pid, 'SIGUSR2')
      await expect.poll(() => existsSync(stallFile) && readFileSync(stallFile, 'utf8')).toBeTruthy()
      return Number(readFileSync(stallFile, 'utf8'))
    }
  }

  it('row 10: patterns that make a backtracking engine hang do not stall the gateway, even among 1,000 patterns', async () => {
    const client = await gateway().connect()
    const stop = watchStalls()
    const cpu = cpuMsOf(gateway().pid)
    const tag = `evil-${randomUUID()}`
    const evil = [...EVIL, '/(a+)+/'].map((pattern) => ({ pattern, tags: [tag] }))
    const rules = [...toolRules, ...evil, { pattern: '*', enabled: true }]
    gateway().edit(
      gateway().configWith({ discovery: { toolRules: [...rules, ...rulesOf(MAX_PATTERNS - rules.length)] } }),
    )
    const tags = async () => {
      const { tools } = await client.ask('list_tools', { server: 'keys' })
      return (tools as { tags?: string[] }[]).filter((tool) => tool.tags?.includes(tag)).length
    }
    await expect.poll(tags).toBeGreaterThan(0)
    for (const query of EVIL) await client.ask('search_tools', { query })
    const longest = await stop()
    report(
      `row 10: ${MAX_PATTERNS} patterns stalled the gateway for ${Math.round(longest)} ms at most, ${cpuMsOf(gateway().pid) - cpu} ms of CPU time`,
    )
    expect(longest).toBeLessThan(50)
  })

  it('row 10: 10,000 rules are refused at load without a stall, and the earlier rules stay in force', async () => {
    const client = await gateway().connect()
    const stop = watchStalls()
    gateway().edit(gateway().configWith({ discovery: { toolRules: rulesOf(10_000) } }))
    await expect.poll(() => gateway().stderr).toContain('Expected at most 1000 patterns, found 10000 patterns')
    expect(await client.ask('execute_tool', { server: 'keys', tool: 'read' })).toMatchObject({
      error: { code: 'TOOL_DISABLED' },
    })
    const longest = await stop()
    report(`row 10: 10,000 rules stalled the gateway for ${Math.round(longest)} ms at most`)
    expect(longest).toBeLessThan(50)
  })

  it('row 10: a pattern of 100 kB is refused at load, and the earlier rules stay in force', async () => {
    const client = await gateway().connect()
    const stop = watchStalls()
    const reports = () => gateway().stderr.split('it has more than 1000 characters').length - 1
    for (const pattern of [`/(${'a+'.repeat(50_000)})+$/`, '*a'.repeat(50_000)]) {
      const before = reports()
      gateway().edit(gateway().configWith({ discovery: { toolRules: [{ pattern, enabled: false }] } }))
      await expect.poll(reports).toBeGreaterThan(before)
      expect(await client.ask('execute_tool', { server: 'keys', tool: 'read' })).toMatchObject({
        error: { code: 'TOOL_DISABLED' },
      })
    }
    for (const query of ['*a'.repeat(50_000), `/(${'a+'.repeat(50_000)})+$/`])
      await client.ask('search_tools', { query })
    const longest = await stop()
    report(`row 10: patterns of 100 kB stalled the gateway for ${Math.round(longest)} ms at most`)
    expect(longest).toBeLessThan(50)
  })
})
