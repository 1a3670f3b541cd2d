// A gateway that gets a signal: calls in flight finish, new calls are refused, and no process is left.

import { describe, expect, it, vi } from 'vitest'
import { within } from '../../../src/front/door.fixture.ts'
import { ask, modern, type RawResponse, startSession, toolCall } from '../../../src/front/raw-client.fixture.ts'
import type { StdioChild } from '../../../src/front/stdio-child.fixture.ts'
import { fixturePath } from '../../../src/sources/upstream/upstream.fixture.ts'
import { main } from '../cli/harness.ts'
import { eras, type ProtocolEra } from '../gateway/client.ts'
import { type GatewayHome, homeForTest } from '../gateway/home.ts'
import { expectGone, startedBy } from '../gateway/processes.ts'
import { linesFor, programs, type StdioProgram, start, writeConfig } from './programs.ts'

vi.setConfig({ testTimeout: 90_000 })

const ENOUGH_MS = 60_000
const EXITED = { code: 0, signal: null }

/** Starts a gateway over stdio with a running server and a call in flight that takes `waitMs`. */
async function startWithCallOverStdio(program: StdioProgram, era: ProtocolEra, waitMs: number, limits = {}) {
  const home = homeForTest()
  writeConfig(home, limits)
  const child = start(program.args(home), { home })
  child.process.stdin.write(`${linesFor(era, [program.call('first', 0)]).join('\n')}\n`)
  await within(
    ENOUGH_MS,
    'the first answer',
    child.find(({ id }) => id === 'first'),
  )
  const send = (call: ReturnType<StdioProgram['call']>) => child.send(era === 'modern' ? modern(call).body : call)
  send(program.call('slow', waitMs))
  const pids = startedBy(child.process.pid ?? 0)
  return { child, send, pids }
}

describe.each(eras)('over stdio with a %s client', (era) => {
  it.each([
    ['serve', 6_000],
    ['wrap', 2_000],
  ] as const)('%s finishes a call of %i ms after SIGTERM and refuses new calls', async (name, waitMs) => {
    const program = programs[name]
    const { child, send, pids } = await startWithCallOverStdio(program, era, waitMs)
    child.process.kill('SIGTERM')
    await child.said(`waiting up to 30 s for 1 request: '${name === 'serve' ? 'notes:add' : 'add'}'; a second signal`)
    send(program.call('late', 0))
    const late = await child.find(({ id }) => id === 'late')
    expect(late.result?.structuredContent).toMatchObject({ success: false, error: { code: 'SHUTTING_DOWN' } })
    expect(await within(ENOUGH_MS, 'the program ends', child.exited)).toEqual(EXITED)
    expect(child.messages.at(-1)).toMatchObject({ id: 'slow' })
    expect(child.messages.at(-1)?.result?.isError ?? false).toBe(false)
    await expectGone(pids)
  })

  it.each([
    ['SIGTERM', 0],
    ['SIGINT', 130],
  ] as const)(
    'a second %s cancels the call in flight and answers it, and the exit code is %i',
    async (signal, code) => {
      const { child, pids } = await startWithCallOverStdio(programs.serve, era, 600_000)
      child.process.kill(signal)
      await child.said('waiting up to 30 s')
      child.process.kill(signal)
      expect(await within(10_000, 'the program ends', child.exited)).toEqual({ code, signal: null })
      expect(child.messages.at(-1)).toMatchObject({
        id: 'slow',
        result: { isError: true, structuredContent: { error: { code: 'CANCELLED' } } },
      })
      expect(child.stderr).toContain("cancelled 1 request: 'notes:add'")
      await expectGone(pids)
    },
  )

  it('the first signal after the end of stdin cancels the call in flight', async () => {
    const { child, pids } = await startWithCallOverStdio(programs.serve, era, 600_000)
    const last = programs.serve.call('last', 500)
    // The end of stdin follows this call, so the gateway has read it when the answer comes.
    child.process.stdin.end(`${JSON.stringify(era === 'modern' ? modern(last).body : last)}\n`)
    await child.find(({ id }) => id === 'last')
    child.process.kill('SIGTERM')
    expect(await within(10_000, 'the program ends', child.exited)).toEqual(EXITED)
    const { result } = child.messages.at(-1) ?? {}
    expect(result?.structuredContent).toMatchObject({ error: { code: 'CANCELLED' } })
    expect(child.stderr).not.toContain('waiting')
    await expectGone(pids)
  })
})

describe('limits.drainMs', () => {
  it.each(eras)('limits.drainMs bounds the wait after SIGTERM, and the call gets a typed error (%s)', async (era) => {
    const { child, pids } = await startWithCallOverStdio(programs.serve, era, 600_000, { drainMs: 300 })
    child.process.kill('SIGTERM')
    expect(await within(10_000, 'the program ends', child.exited)).toEqual(EXITED)
    expect(child.messages.at(-1)?.result?.structuredContent).toMatchObject({ error: { code: 'CANCELLED' } })
    expect(child.stderr).toContain("cancelled 1 request after 0.3 s: 'notes:add'")
    await expectGone(pids)
  })
})

interface HttpProgram {
  args(home: GatewayHome): readonly string[]
  call(id: string, waitMs: number): ReturnType<typeof toolCall>
}

const overHttp = {
  serve: {
    args: (home) => [...programs.serve.args(home), '--http', '--port', '0', '--no-auth'],
    call: (id, waitMs) => toolCall('execute_tool', { tool: 'notes:add', arguments: { text: 'x', waitMs } }, id),
  },
  wrap: {
    args: () => [
      ...[main, 'wrap', '--strategy', 'individual', '--http', '--port', '0', '--no-auth'],
      ...['--', process.execPath, fixturePath('notes')],
    ],
    call: (id, waitMs) => toolCall('add', { text: 'x', waitMs }, id),
  },
} satisfies Record<string, HttpProgram>

async function portOf(child: StdioChild): Promise<number> {
  let text = ''
  child.process.stdout.removeAllListeners('data').on('data', (chunk) => {
    text += String(chunk)
  })
  const found = () => /Listening on (\S+)/.exec(text)?.[1]
  await expect.poll(found, { timeout: ENOUGH_MS }).toBeDefined()
  return Number(new URL(found() ?? '').port)
}

/** Starts a gateway over HTTP with a call in flight that takes `waitMs`. */
async function startWithCallOverHttp(program: HttpProgram, era: ProtocolEra, waitMs: number, limits = {}) {
  const home = homeForTest()
  writeConfig(home, limits)
  const child = start(program.args(home), { home })
  const port = await portOf(child)
  const session = era === 'legacy' ? await startSession(port) : undefined
  const send = (call: ReturnType<typeof toolCall>): Promise<RawResponse> =>
    session === undefined ? ask(port, modern(call)) : session.ask(call)
  await send(program.call('first', 0))
  const slow = send(program.call('slow', waitMs))
  slow.catch(() => {})
  // Requests are read in order, so the call has arrived when this later request is answered.
  await send(program.call('second', 0))
  return { child, port, session, send, slow, pids: startedBy(child.process.pid ?? 0) }
}

describe.each(Object.entries<HttpProgram>(overHttp))('%s --http', (_name, program) => {
  it.each(eras)('the gateway finishes a call of 8 s after SIGTERM while it refuses new calls (%s)', async (era) => {
    const { child, port, send, slow, pids } = await startWithCallOverHttp(program, era, 8_000)
    child.process.kill('SIGTERM')
    await child.said('waiting up to 30 s for 1 request')
    expect((await ask(port, { method: 'GET', path: '/ready' })).status).toBe(503)
    expect((await ask(port, { method: 'GET', path: '/health' })).status).toBe(200)
    const late = await send(program.call('late', 0))
    expect([late.status, late.headers['retry-after']]).toEqual([503, '1'])
    const { messages } = await within(ENOUGH_MS, 'the answer', slow)
    expect(messages.at(-1)).toMatchObject({ id: 'slow' })
    expect(messages.at(-1)?.result?.isError ?? false).toBe(false)
    expect(await within(ENOUGH_MS, 'the program ends', child.exited)).toEqual(EXITED)
    await expectGone(pids)
  })

  it('the gateway closes the stream of a legacy session, and a second SIGINT cancels and answers its call', async () => {
    const { child, session, slow, pids } = await startWithCallOverHttp(program, 'legacy', 600_000)
    const stream = await session?.stream()
    child.process.kill('SIGINT')
    await child.said('a second signal ends the wait')
    child.process.kill('SIGINT')
    const { messages } = await within(10_000, 'the answer', slow)
    expect(messages.at(-1)?.result?.structuredContent).toMatchObject({ error: { code: 'CANCELLED' } })
    await within(10_000, 'the stream ends', stream?.ended ?? Promise.reject(new Error('No stream.')))
    expect(await within(10_000, 'the program ends', child.exited)).toEqual({ code: 130, signal: null })
    await expectGone(pids)
  })
})

describe('serve --http', () => {
  it.each(eras)('the gateway answers a call with a typed error when limits.drainMs is over (%s)', async (era) => {
    const { child, slow, pids } = await startWithCallOverHttp(overHttp.serve, era, 600_000, { drainMs: 300 })
    child.process.kill('SIGTERM')
    const { messages } = await within(10_000, 'the answer', slow)
    expect(messages.at(-1)?.result?.structuredContent).toMatchObject({ success: false, error: { code: 'CANCELLED' } })
    expect(await within(10_000, 'the program ends', child.exited)).toEqual(EXITED)
    await expectGone(pids)
  })
})
