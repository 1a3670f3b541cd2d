import { describe, expect, it } from 'vitest'
import type { InspectorCall } from './api.ts'
import { createCallStream } from './call-data.ts'

const callOf = (number: number): InspectorCall => ({
  time: new Date(number).toISOString(),
  principal: 'alice',
  server: 'files',
  tool: `tool-${number}`,
  outcome: 'ok',
  durationMs: 1,
  transport: 'http',
  argumentBytes: 2,
})

function openStream(pingMs = 60_000) {
  let listener: ((calls: readonly InspectorCall[]) => void) | undefined
  const ending = new AbortController()
  const stream = createCallStream({
    history: {
      follow(given) {
        listener = given
        return () => {
          listener = undefined
        }
      },
    },
    select: async (calls) => calls,
    signal: ending.signal,
    pingMs,
  })
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  return {
    add: (...calls: readonly InspectorCall[]) => listener?.(calls),
    isFollowing: () => listener !== undefined,
    async read() {
      const { value, done } = await reader.read()
      return done ? undefined : decoder.decode(value)
    },
    cancel: () => reader.cancel(),
    end: () => ending.abort(),
  }
}

describe('the stream of calls', () => {
  it('starts with a comment, so that the client knows that it is open, and sends one event per call', async () => {
    const { read, add, cancel } = openStream()
    expect(await read()).toBe(': ping\n\n')
    add(callOf(1), callOf(2))
    expect(await read()).toBe(`data: ${JSON.stringify(callOf(1))}\n\ndata: ${JSON.stringify(callOf(2))}\n\n`)
    await cancel()
  })

  it('keeps at most 1,000 calls for a client that does not read, and tells it that some are missing', async () => {
    const { read, add, cancel } = openStream()
    await read()
    for (let number = 0; number < 10_000; number++) add(callOf(number))
    const texts = (await read()) ?? ''
    expect(texts).toContain('event: skipped\ndata: {}\n\n')
    const events = texts.match(/^data: \{"time/gm) ?? []
    expect(events.length).toBeGreaterThan(0)
    expect(events.length).toBeLessThanOrEqual(1_000)
    expect(texts).toContain('"tool-9999"')
    await cancel()
  })

  it('sends comments while no call arrives', async () => {
    const { read, cancel } = openStream(5)
    expect([await read(), await read(), await read()]).toEqual([': ping\n\n', ': ping\n\n', ': ping\n\n'])
    await cancel()
  })

  it('the stream ends with its signal, and follows no calls after its end', async () => {
    const ended = openStream()
    await ended.read()
    const next = ended.read()
    ended.end()
    expect(await next).toBeUndefined()
    expect(ended.isFollowing()).toBe(false)
    const cancelled = openStream()
    await cancelled.cancel()
    expect(cancelled.isFollowing()).toBe(false)
  })
})
