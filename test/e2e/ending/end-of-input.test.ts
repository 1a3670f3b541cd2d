// Programs over stdio when their stdin ends: they answer every request, unless the client has stopped reading.

import { describe, expect, it, vi } from 'vitest'
import { within } from '../../../src/front/door.fixture.ts'
import { modern, toolCall } from '../../../src/front/raw-client.fixture.ts'
import type { StdioChild } from '../../../src/front/stdio-child.fixture.ts'
import { eras, type ProtocolEra } from '../gateway/client.ts'
import { homeForTest } from '../gateway/home.ts'
import { expectGone, startedBy } from '../gateway/processes.ts'
import { fixtureServer, missing } from '../gateway/servers.ts'
import { linesFor, programs, type StdioProgram, start, writeConfig } from './programs.ts'

vi.setConfig({ testTimeout: 90_000 })

const CALLS = Array.from({ length: 50 }, (_, at) => at)
/** A timeout for a busy machine. The event usually comes in a tenth of this time. */
const ENOUGH_MS = 60_000

const idsOf = ({ messages }: StdioChild) => messages.flatMap(({ id }) => (id === undefined ? [] : [id]))
const failures = ({ messages }: StdioChild) => messages.filter(({ error, result }) => error ?? result?.isError)

describe.each(Object.entries<StdioProgram>(programs))('%s', (_name, program) => {
  describe.each(eras)('with a %s client', (era) => {
    it('the program answers all requests of a file, then exits with code 0', async () => {
      const home = homeForTest()
      writeConfig(home)
      const lines = linesFor(
        era,
        CALLS.map((at) => program.call(at, 0)),
      )
      const child = start(program.args(home), { home, input: home.write('requests.jsonl', `${lines.join('\n')}\n`) })
      expect(await within(ENOUGH_MS, 'the program ends', child.exited)).toEqual({ code: 0, signal: null })
      expect(failures(child)).toEqual([])
      expect(idsOf(child)).toHaveLength(52)
      expect(new Set(idsOf(child))).toEqual(new Set(['init', 'list', ...CALLS]))
    })

    it('the program waits for a call of 2 s in the last line, which has no line break', async () => {
      const home = homeForTest()
      writeConfig(home)
      const lines = linesFor(era, [program.call('slow', 2_000)])
      const child = start(program.args(home), { home })
      child.process.stdin.end(lines.join('\n'))
      expect(await within(ENOUGH_MS, 'the program ends', child.exited)).toEqual({ code: 0, signal: null })
      expect(failures(child)).toEqual([])
      expect(new Set(idsOf(child))).toEqual(new Set(['init', 'list', 'slow']))
    })
  })
})

describe('a slow reader', () => {
  it.each(eras)('a slow reader gets every answer before the gateway ends (%s)', async (era) => {
    const home = homeForTest()
    writeConfig(home)
    const text = 'note '.repeat(8_000)
    const add = toolCall('execute_tool', { tool: 'notes:add', arguments: { text } }, 'add')
    const calls = Array.from({ length: 100 }, (_, at) => toolCall('execute_tool', { tool: 'notes:list' }, at))
    const child = start(programs.serve.args(home), { home })
    child.process.stdin.write(`${linesFor(era, [add]).join('\n')}\n`)
    await child.find(({ id }) => id === 'add')
    child.process.stdout.pause()
    const lines = calls.map((call) => JSON.stringify(era === 'modern' ? modern(call).body : call))
    child.process.stdin.end(`${lines.join('\n')}\n`)
    await expect.poll(() => child.process.stdin.writableFinished, { timeout: ENOUGH_MS }).toBe(true)
    // Reads a little at a time, so that the pipe is full most of the time.
    child.process.stdout.on('data', () => {
      child.process.stdout.pause()
      setImmediate(() => child.process.stdout.resume())
    })
    child.process.stdout.resume()
    expect(await within(ENOUGH_MS, 'the program ends', child.exited)).toEqual({ code: 0, signal: null })
    expect(failures(child)).toEqual([])
    for (const call of calls) expect(child.messages.some(({ id }) => id === call.id)).toBe(true)
  })
})

describe('a disconnected client', () => {
  /** Starts a gateway with a call in flight that its server never answers. */
  const startWithCall = async (era: ProtocolEra) => {
    const home = homeForTest()
    const call = toolCall('execute_tool', { tool: 'talker:slow' }, 'waiting')
    home.write('gateway.json', {
      discovery: {
        listWaitMs: 30_000,
        servers: { talker: { command: process.execPath, args: [home.at('talker.mjs')] } },
      },
    })
    home.write('talker.mjs', TALKER_SOURCE)
    const child = start(programs.serve.args(home), { home })
    child.process.stdin.write(`${linesFor(era, [call]).join('\n')}\n`)
    await expect.poll(() => home.lines('calls'), { timeout: ENOUGH_MS }).toEqual(['call'])
    return { home, child, pids: startedBy(child.process.pid ?? 0) }
  }

  it.skipIf(process.platform !== 'linux').each(eras)(
    'the program cancels a call when the client has closed both pipes, long before drainMs is over (%s)',
    async (era) => {
      const { home, child, pids } = await startWithCall(era)
      expect(pids.length).toBeGreaterThan(0)
      child.process.stdin.destroy()
      child.process.stdout.destroy()
      expect(await within(10_000, 'the program ends', child.exited)).toEqual({ code: 0, signal: null })
      expect(home.lines('calls')).toContain('cancelled')
      await expectGone(pids)
    },
  )

  it.each(eras)('the program cancels a call when an answer cannot be written (%s)', async (era) => {
    const { home, child, pids } = await startWithCall(era)
    child.process.stdout.destroy()
    const list = { jsonrpc: '2.0', id: 'again', method: 'tools/list' }
    const ask = setInterval(() => child.send(era === 'modern' ? modern(list).body : list), 20)
    try {
      expect(await within(10_000, 'the program ends', child.exited)).toEqual({ code: 0, signal: null })
    } finally {
      clearInterval(ask)
    }
    expect(home.lines('calls')).toContain('cancelled')
    expect(child.stderr).not.toMatch(/Unhandled|node:internal|throw er/)
    await expectGone(pids)
  })
})

describe('a call that takes longer than limits.drainMs', () => {
  it.each(eras)(
    'a call that takes longer than limits.drainMs gets a typed error, and the program ends (%s)',
    async (era) => {
      const home = homeForTest()
      writeConfig(home, { drainMs: 200 })
      const child = start(programs.serve.args(home), { home })
      // The server runs already, because the time of its start is not part of this test.
      child.process.stdin.write(`${linesFor(era, [programs.serve.call('first', 0)]).join('\n')}\n`)
      await child.find(({ id }) => id === 'first')
      const call = programs.serve.call('slow', 600_000)
      child.process.stdin.end(`${JSON.stringify(era === 'modern' ? modern(call).body : call)}\n`)
      expect(await within(20_000, 'the program ends', child.exited)).toEqual({ code: 0, signal: null })
      const slow = child.messages.find(({ id }) => id === 'slow')
      expect(slow?.result?.structuredContent).toMatchObject({ success: false, error: { code: 'CANCELLED' } })
      expect(child.stderr).toContain("cancelled 1 request after 0.2 s: 'notes:add'")
    },
  )
})

describe('a gateway without a reader of its stderr', () => {
  it('a gateway without a reader of its stderr answers calls, and goes on after it has written a line to stderr', async () => {
    const home = homeForTest()
    home.write('gateway.json', { discovery: { servers: { notes: fixtureServer('notes'), missing } } })
    const child = start(programs.serve.args(home), { home })
    child.process.stderr.destroy()
    child.process.stdin.write(`${linesFor('legacy', []).join('\n')}\n`)
    // The failed start is reported on stderr.
    child.send(toolCall('execute_tool', { server: 'missing', tool: 'x' }, 'fails'))
    const failed = await within(
      ENOUGH_MS,
      'the error',
      child.find(({ id }) => id === 'fails'),
    )
    expect(failed.result?.structuredContent).toMatchObject({ error: { code: 'SERVER_UNAVAILABLE' } })
    child.send(programs.serve.call('works', 0))
    const works = await within(
      ENOUGH_MS,
      'the answer',
      child.find(({ id }) => id === 'works'),
    )
    expect(works.result?.isError ?? false).toBe(false)
  })
})

/** A server that never answers a call. It records the call and its cancellation. */
const TALKER_SOURCE = `
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const note = (line) => appendFileSync('calls', line + '\\n')
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') {
    answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'talker', version: '1' } })
  } else if (method === 'tools/list') {
    answer(id, { tools: [{ name: 'slow', description: 'Take long.', inputSchema: { type: 'object' } }] })
  } else if (method === 'tools/call') note('call')
  else if (method === 'notifications/cancelled') note('cancelled')
  else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'No such method' } }))
})
`
