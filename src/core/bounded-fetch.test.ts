import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBoundedFetch } from './bounded-fetch.ts'

const server = createServer((request, response) => {
  const [, type = '', ...parts] = decodeURIComponent(request.url ?? '').split('|')
  response.writeHead(200, { 'content-type': type })
  for (const part of parts) response.write(part)
  response.end()
})
let base = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/` // it listens on a port
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const get = async (type: string, ...parts: readonly string[]) => {
  const response = await createBoundedFetch(10)(base + encodeURIComponent(['', type, ...parts].join('|')))
  return { url: response.url, text: await response.text() }
}

describe('createBoundedFetch', () => {
  it('returns a small response unchanged, with its URL', async () => {
    expect(await get('application/json', '0123', '456789')).toEqual({
      url: expect.stringContaining(base),
      text: '0123456789',
    })
  })

  it('fails when a response is too large', async () => {
    await expect(get('application/json', '0123456789', 'x')).rejects.toThrow()
  })

  it.each(['\n', '\r\n', '\r'])(
    'accepts a stream that is longer than the limit if each of its events is small and its lines end with %j',
    async (end) => {
      const events = Array.from({ length: 20 }, (_, at) => `data:${at % 10}${end}${end}`)
      expect((await get('text/event-stream', ...events)).text).toBe(events.join(''))
      const parts = [...events.join('')]
      expect((await get('text/event-stream', ...parts)).text).toBe(events.join(''))
    },
  )

  it('passes the lines of a stream on unchanged, with each of the three line endings', async () => {
    for (const end of ['\n', '\r\n', '\r'])
      expect((await get('text/event-stream', 'da', `ta: 1${end}`, end)).text).toBe(`data: 1${end}${end}`)
  })

  it.each(['\n', '\r'])('passes many events on in parts of at most 32 lines that end with %j', async (end) => {
    const events = Array.from({ length: 300 }, (_, at) => `data: ${at % 10}${end}${end}`).join('')
    const response = await createBoundedFetch(10_000)(
      base + encodeURIComponent(['', 'text/event-stream', events].join('|')),
    )
    const parts: string[] = []
    for await (const chunk of response.body ?? []) parts.push(Buffer.from(chunk).toString())
    expect(parts.join('')).toBe(events)
    expect(Math.max(...parts.map((part) => part.split(end).length - 1))).toBeLessThanOrEqual(32)
  })

  it('passes a small response on in one chunk, even if the server sends several', async () => {
    const parts = Array.from({ length: 10 }, () => 'x')
    const response = await createBoundedFetch(10)(
      base + encodeURIComponent(['', 'application/json', ...parts].join('|')),
    )
    const sizes: number[] = []
    for await (const chunk of response.body ?? []) sizes.push(chunk.length)
    expect(sizes).toEqual([10])
  })

  it('refuses to send a message that is too long', async () => {
    const sent = createBoundedFetch(10)(base, { method: 'POST', body: 'é'.repeat(6) })
    await expect(sent).rejects.toThrow('the message to it would be 12 bytes long; at most 10 are sent')
  })

  it('fails when one event is too large, even if it has several lines', async () => {
    await expect(get('text/event-stream', 'data: 0123456')).rejects.toThrow()
    for (const end of ['\n', '\r\n', '\r'])
      await expect(get('text/event-stream', `data:a${end}`, `data:b${end}`)).rejects.toThrow()
    await expect(get('text/event-stream', 'data: 0123456\n\ndata:a\n\n')).rejects.toThrow()
  })
})

describe('createBoundedFetch with a server that does not respond', () => {
  it('sends at most 100 answers that the server has not accepted, and still sends requests', async () => {
    let taken = 0
    let isSilent = true
    const silent = createServer((_request, response) => {
      taken++
      if (!isSilent) response.end()
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/` // it listens on a port
    const fetchBounded = createBoundedFetch()
    const post = (message: object) => fetchBounded(url, { method: 'POST', body: JSON.stringify(message) })
    const sent = Array.from({ length: 100 }, (_, id) => post({ jsonrpc: '2.0', id, result: {} }))
    await expect.poll(() => taken).toBe(100)
    await expect(post({ jsonrpc: '2.0', id: 100, result: {} })).rejects.toThrow('has not accepted 100 answers')
    isSilent = false
    expect((await post({ jsonrpc: '2.0', id: 101, method: 'ping' })).status).toBe(200)
    silent.closeAllConnections()
    await Promise.allSettled(sent)
    expect((await post({ jsonrpc: '2.0', id: 102, result: {} })).status).toBe(200)
    silent.close()
    silent.closeAllConnections()
  })
})
