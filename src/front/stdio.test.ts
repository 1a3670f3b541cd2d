// The stdio front door as a real process: it survives any input, and ends when its client leaves.

import { describe, expect, it } from 'vitest'
import { within } from './door.fixture.ts'
import { modern, toolCall } from './raw-client.fixture.ts'
import { type StdioChild, startChild, startInitialized } from './stdio-child.fixture.ts'

const MEGABYTE = 1024 * 1024

async function stillServes(child: StdioChild, id: string | number = 'still'): Promise<void> {
  child.send(toolCall('text-echo', { still: 'here' }, id))
  const { result } = await within(
    20_000,
    'an answer',
    child.find((message) => message.id === id),
  )
  expect(result?.structuredContent?.data).toEqual({ still: 'here' })
}

function isOnlyProtocol({ stdout, messages }: StdioChild): boolean {
  return stdout === messages.map((message) => `${JSON.stringify(message)}\n`).join('')
}

describe('a line that is not a message', () => {
  const lines = {
    'malformed JSON': '{"jsonrpc": "2.0",',
    'an empty line': '',
    spaces: '   \t  ',
    'a carriage return': '\r',
    prose: 'hello, who is there?',
    null: 'null',
    'a number': '7',
    'a list': '[]',
    'a batch': JSON.stringify([toolCall('text-echo')]),
    'an empty object': '{}',
    'another protocol': '{"jsonrpc":"1.0","method":"ping"}',
    'bytes that are not text': Buffer.from([0xff, 0xfe, 0x00, 0xc0]).toString('latin1'),
    'a deep nest': '['.repeat(200_000),
  }

  it('ignores invalid lines before the client is initialized', async () => {
    const child = await startChild()
    for (const line of Object.values(lines)) child.send(line)
    child.send(modern(toolCall('text-echo', { still: 'here' }, 'first')).body)
    const { result } = await within(
      5_000,
      'an answer',
      child.find(({ id }) => id === 'first'),
    )
    expect(result?.structuredContent?.data).toEqual({ still: 'here' })
  })

  it('ignores invalid lines after the client is initialized', async () => {
    const child = await startInitialized()
    for (const [what, line] of Object.entries(lines)) {
      child.send(line)
      await stillServes(child, what)
    }
    expect(isOnlyProtocol(child)).toBe(true)
  })

  it('answers an invalid message with an error if it has an id', async () => {
    const child = await startInitialized()
    child.send({ jsonrpc: '2.0', id: 'a method that is not text', method: 7 })
    child.send({ jsonrpc: '2.0', id: 'parameters that are a text', method: 'tools/list', params: 'all' })
    child.send({ id: 'no version', method: 'tools/list' })
    await stillServes(child)
    for (const bad of ['a method that is not text', 'parameters that are a text', 'no version']) {
      expect(child.messages.find(({ id }) => id === bad)?.error).toMatchObject({ code: -32600 })
    }
  })

  it('accepts lines that end in CR LF', async () => {
    const child = await startInitialized()
    child.send(`${JSON.stringify(toolCall('text-echo', { a: 1 }, 'crlf'))}\r`)
    expect((await child.find(({ id }) => id === 'crlf')).result?.structuredContent?.data).toEqual({ a: 1 })
  })

  it('accepts a line in pieces, split in the middle of a character', async () => {
    const child = await startInitialized()
    const bytes = Buffer.from(`${JSON.stringify(toolCall('text-echo', { text: 'Zürich 東京 🚆' }, 'cut'))}\n`)
    for (const byte of bytes) child.process.stdin.write(Buffer.from([byte]))
    const { result } = await child.find(({ id }) => id === 'cut')
    expect(result?.structuredContent?.data).toEqual({ text: 'Zürich 東京 🚆' })
  })
})

describe('a long line', () => {
  it('serves a line of 14 MB in less than quadratic time', async () => {
    const child = await startInitialized()
    const timeFor = async (megabytes: number) => {
      const text = 'x'.repeat(megabytes * MEGABYTE)
      const startedAt = performance.now()
      child.send(toolCall('text-measure', { text }, megabytes))
      const { result } = await within(
        25_000,
        'an answer',
        child.find(({ id }) => id === megabytes),
      )
      expect(result?.structuredContent?.data).toBe(text.length)
      return performance.now() - startedAt
    }
    await timeFor(1)
    const [short, long] = [await timeFor(2), await timeFor(14)]
    // The line is 7 times as long. Quadratic time would take 49 times as long.
    expect(long / short).toBeLessThan(35)
    await stillServes(child)
  })

  it.each([
    ['with its id in front', (text: string) => JSON.stringify(toolCall('text-measure', { text }, 'huge'))],
    [
      'with its id at the end',
      (text: string) =>
        `{"method":"tools/call","params":{"name":"text-measure","arguments":{"text":"${text}"}},"jsonrpc":"2.0","id":"huge"}`,
    ],
  ])('refuses a request of 17 MB %s by this id, and keeps the connection', async (_where, line) => {
    const child = await startInitialized()
    child.send(line('x'.repeat(17 * MEGABYTE)))
    await stillServes(child)
    const answer = child.messages.find(({ id }) => id === 'huge')
    expect(answer?.error?.code).toBe(-32600)
    expect(answer?.error?.message).toMatch(/^The message is 178\d{5} bytes long; at most 16777216 are read$/)
  })

  it('ignores a line of 17 MB that is not a message', async () => {
    const child = await startInitialized()
    child.send('x'.repeat(17 * MEGABYTE))
    await stillServes(child)
  })

  it('reads the messages that follow a line of 17 MB', async () => {
    const child = await startInitialized()
    const lines = Array.from({ length: 50 }, (_, id) => JSON.stringify(toolCall('text-echo', { id }, id)))
    child.send(['x'.repeat(17 * MEGABYTE), ...lines].join('\n'))
    await stillServes(child)
    for (let id = 0; id < 50; id++) expect(child.messages.some((message) => message.id === id)).toBe(true)
  })
})

describe('the end of stdin or stdout', () => {
  it('ends the process with code 0 when stdin ends, with only messages on stdout', async () => {
    const child = await startInitialized()
    await stillServes(child)
    child.process.stdin.end()
    expect(await within(3_000, 'the process ends', child.exited)).toEqual({ code: 0, signal: null })
    expect(isOnlyProtocol(child)).toBe(true)
    expect(child.stderr).toBe('started\n')
  })

  it('ends the process when stdin ends before any message', async () => {
    const child = await startChild()
    child.process.stdin.end()
    expect(await within(3_000, 'the process ends', child.exited)).toEqual({ code: 0, signal: null })
    expect(child.stdout).toBe('')
  })

  it('finishes a call when stdin ends, and sends its answer last', async () => {
    const child = await startInitialized()
    child.send(toolCall('job-wait', { waitMs: 300 }, 'wait'))
    child.process.stdin.end()
    expect(await within(10_000, 'the process ends', child.exited)).toEqual({ code: 0, signal: null })
    expect(child.messages.at(-1)).toMatchObject({ id: 'wait', result: { structuredContent: { data: 'waited' } } })
  })

  it('cancels and answers a call that takes longer than drainMs after stdin ends', async () => {
    const child = await startInitialized({ drainMs: 100 })
    child.send(toolCall('job-hold', {}, 'hold'))
    await child.said('held')
    child.process.stdin.end()
    expect(await within(10_000, 'the process ends', child.exited)).toEqual({ code: 0, signal: null })
    expect(child.stderr).toContain('aborted')
    expect(child.stderr).toContain("front-door: cancelled 1 request after 0.1 s: 'job-hold'")
    expect(child.messages.at(-1)).toMatchObject({
      id: 'hold',
      result: { isError: true, structuredContent: { error: { code: 'CANCELLED' } } },
    })
  })

  it('answers two requests with the same id when stdin ends', async () => {
    const child = await startInitialized()
    const lines = ['first', 'second'].map((a) => JSON.stringify(toolCall('text-echo', { a }, 'same')))
    child.process.stdin.end(lines.join('\n'))
    await within(10_000, 'the process ends', child.exited)
    expect(child.messages.filter(({ id }) => id === 'same')).toHaveLength(2)
  })

  it('does not wait for a cancelled request when stdin ends', async () => {
    const child = await startInitialized()
    child.send(toolCall('job-hold', {}, 'hold'))
    await child.said('held')
    child.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'hold' } })
    child.process.stdin.end()
    expect(await within(10_000, 'the process ends', child.exited)).toEqual({ code: 0, signal: null })
    expect(child.messages.some(({ id }) => id === 'hold')).toBe(false)
  })

  it('completes a modern subscription when stdin ends', async () => {
    const child = await startChild()
    const listen = {
      jsonrpc: '2.0',
      id: 'listen',
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true } },
    }
    child.send(modern(listen).body)
    await child.find(({ method }) => method === 'notifications/subscriptions/acknowledged')
    child.process.stdin.end()
    expect(await within(10_000, 'the process ends', child.exited)).toEqual({ code: 0, signal: null })
    expect(child.messages.at(-1)).toMatchObject({ id: 'listen', result: { resultType: 'complete' } })
  })

  it('answers a request that is directly followed by the end of stdin', async () => {
    const child = await startInitialized()
    child.process.stdin.end(`${JSON.stringify(toolCall('text-echo', { a: 1 }, 'last'))}\n`)
    await within(3_000, 'the process ends', child.exited)
    expect(child.messages.at(-1)).toMatchObject({ id: 'last' })
  })

  it('ends the process without a crash when the reader of stdout is gone', async () => {
    const child = await startInitialized()
    child.process.stdout.destroy()
    for (let i = 0; i < 100; i++) child.send(toolCall('text-make', { length: 100_000 }, i))
    const { code, signal } = await within(5_000, 'the process ends', child.exited)
    expect([code, signal]).toEqual([0, null])
    expect(child.stderr).not.toMatch(/Unhandled|node:internal|throw er/)
  })

  it('ends the process when stdin ends in the middle of a message', async () => {
    const child = await startInitialized()
    child.process.stdin.end('{"jsonrpc":"2.0","id":1,"method":"tools/li')
    expect(await within(3_000, 'the process ends', child.exited)).toEqual({ code: 0, signal: null })
  })
})

describe('stop', () => {
  it('stop lets a call finish, and then ends the process', async () => {
    const child = await startInitialized()
    child.send(toolCall('job-finish', {}, 'finish'))
    await child.said('waiting')
    child.send(toolCall('server-stop', {}, 'stop'))
    const { result } = await child.find(({ id }) => id === 'finish')
    expect(result?.structuredContent?.data).toBe('finished')
    await child.said('stopped')
    expect(await within(3_000, 'the process ends', child.exited)).toEqual({ code: 0, signal: null })
  })

  it('the process ends after stop if its client closes stdin while stop waits for a call', async () => {
    const child = await startInitialized()
    child.send(toolCall('job-wait', { waitMs: 1_000 }, 'wait'))
    child.send(toolCall('server-stop', {}, 'stop'))
    await child.said('waiting up to 30 s')
    child.process.stdin.end()
    expect(await within(5_000, 'the process ends', child.exited)).toEqual({ code: 0, signal: null })
    expect(child.messages.find(({ id }) => id === 'wait')?.result?.structuredContent?.data).toBe('waited')
  })

  it('stop cancels a call that still runs after the grace period', async () => {
    const child = await startInitialized({ drainMs: 1_000 })
    child.send(toolCall('job-hold', {}, 'hold'))
    await child.said('held')
    child.send(toolCall('server-stop', {}, 'stop'))
    await child.said("waiting up to 1 s for 1 request: 'job-hold'")
    child.send(toolCall('text-echo', {}, 'too-late'))
    expect(await within(8_000, 'the process ends', child.exited)).toEqual({ code: 0, signal: null })
    expect(child.stderr).toContain('aborted')
    const late = child.messages.find(({ id }) => id === 'too-late')
    expect(late?.result?.structuredContent).toMatchObject({ success: false, error: { code: 'SHUTTING_DOWN' } })
    const held = child.messages.find(({ id }) => id === 'hold')
    expect(held?.result?.structuredContent).toMatchObject({ success: false, error: { code: 'CANCELLED' } })
  })
})

describe('a slow reader', () => {
  it('sends every answer to a slow reader, and writes no warning', async () => {
    const child = await startInitialized()
    child.process.stdout.pause()
    for (let id = 0; id < 100; id++) child.send(toolCall('text-make', { length: 20_000 }, id))
    child.send(toolCall('job-hold', {}, 'hold'))
    await child.said('held')
    child.process.stdout.resume()
    await within(
      10_000,
      'the last answer',
      child.find(({ id }) => id === 99),
    )
    expect(child.messages).toHaveLength(101)
    expect(child.stderr).not.toContain('Warning')
  })
})
