import { appendFileSync, renameSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import type { InspectorCall } from './api.ts'
import { countCalls, usageOf, usageOver } from './call-figures.ts'
import { createCallHistory, readCall } from './call-history.ts'
import type { Visit } from './visit.ts'

const record = (tool: string, more: object = {}) =>
  `${JSON.stringify({
    time: '2026-01-01T00:00:00.000Z',
    event: 'call',
    caller: { principal: 'alice', transport: 'http', era: 'modern' },
    server: 'files',
    tool,
    outcome: 'ok',
    durationMs: 5,
    arguments: { bytes: 12, hash: 'x', shape: { path: 'string' } },
    values: { path: 'secret' },
    result: { bytes: 7, blocks: 1 },
    ...more,
  })}\n`

function openHistory() {
  const file = tempFolder().at('audit.jsonl')
  const errors: unknown[] = []
  const history = createCallHistory(file, (error) => errors.push(error))
  onTestFinished(() => history.close())
  return { file, history, errors, write: (...lines: readonly string[]) => appendFileSync(file, lines.join('')) }
}

/** A caller with all rights may know about every call. */
const everyone = { isUnlimited: true } as Visit // only this field is read

describe('the history of calls', () => {
  it('the history is empty without an audit log, and reads records that are written later', async () => {
    const { history, write, errors } = openHistory()
    await history.refresh()
    expect(history.recent).toEqual([])
    write(record('one'), '{"event":"started"}\n', 'not json\n', record('two').slice(0, 40))
    await history.refresh()
    expect(history.recent.map(({ tool }) => tool)).toEqual(['one'])
    write(record('two').slice(40))
    await history.refresh()
    expect(history.recent.map(({ tool }) => tool)).toEqual(['one', 'two'])
    expect(errors).toEqual([])
  })

  it('reads the older file of the last rotation, and follows the next rotation', async () => {
    const { file, history, write } = openHistory()
    write(record('old'))
    renameSync(file, `${file}.1`)
    write(record('new'))
    await history.refresh()
    renameSync(file, `${file}.1`)
    write(record('newest'))
    await history.refresh()
    expect(history.recent.map(({ tool }) => tool)).toEqual(['old', 'new', 'newest'])
  })

  it('keeps the last 1,000 calls in full, and the last 100,000 for figures', async () => {
    const { history, write } = openHistory()
    for (let block = 0; block < 11; block++) {
      write(...Array.from({ length: 10_000 }, (_, at) => record(`tool-${block}`, { durationMs: at % 100 })))
    }
    await history.refresh()
    expect(history.recent).toHaveLength(1_000)
    const counts = countCalls(history.past(), everyone)
    expect(counts.get('files:tool-0')).toBeUndefined()
    expect([counts.get('files:tool-1'), counts.get('files:tool-10')]).toEqual([10_000, 10_000])
    expect(usageOf('files:tool-10', history.past(), everyone)).toEqual({
      calls: 10_000,
      errors: 0,
      lastCall: '2026-01-01T00:00:00.000Z',
      p50Ms: 49,
      p95Ms: 94,
    })
  })

  it('counts the calls of a new tool after calls of more unknown names than there can be keys', async () => {
    const { history, write } = openHistory()
    write(...Array.from({ length: 20_001 }, (_, at) => record(`no-tool-${at}`, { outcome: 'TOOL_NOT_FOUND' })))
    write(record('new'))
    await history.refresh()
    expect([...history.past()]).toHaveLength(20_002)
    expect(countCalls(history.past(), everyone).get('files:new')).toBe(1)
  })

  it('forgets the oldest calls if they are calls of more than 20,000 different tools', async () => {
    const { history, write } = openHistory()
    write(record('old'), record('old'))
    write(...Array.from({ length: 20_000 }, (_, at) => record(`tool-${at}`)))
    await history.refresh()
    const counts = countCalls(history.past(), everyone)
    expect(counts.get('files:old')).toBeUndefined()
    expect([counts.get('files:tool-0'), counts.get('files:tool-19999')]).toEqual([1, 1])
  })

  it('the p50 of two calls is that of the faster one', async () => {
    const { history, write } = openHistory()
    write(record('a', { durationMs: 412 }), record('a', { durationMs: 1.4 }))
    await history.refresh()
    expect(usageOf('files:a', history.past(), everyone)).toMatchObject({ calls: 2, p50Ms: 1.4, p95Ms: 412 })
  })

  it('passes new calls on while there is a listener', async () => {
    const { history, write } = openHistory()
    write(record('before'))
    await history.refresh()
    const seen: string[] = []
    const unfollow = history.follow((calls) => seen.push(...calls.map(({ tool }) => tool)))
    write(record('after'))
    await expect.poll(() => seen).toEqual(['after'])
    unfollow()
  })

  it('the history contains no values of arguments', () => {
    expect(readCall(record('one').trim())).toEqual({
      time: '2026-01-01T00:00:00.000Z',
      principal: 'alice',
      server: 'files',
      tool: 'one',
      outcome: 'ok',
      durationMs: 5,
      transport: 'http',
      argumentBytes: 12,
      argumentShape: { path: 'string' },
      resultBytes: 7,
    } satisfies InspectorCall)
  })

  it('counts calls, errors and savings in equal slots that begin at a multiple of their length', async () => {
    const { history, write } = openHistory()
    const at = (seconds: number) => ({ time: new Date(seconds * 1_000).toISOString() })
    write(
      record('a', at(3_599)),
      record('a', { ...at(3_590), outcome: 'TOOL_NOT_FOUND', durationMs: 15 }),
      record('a', at(10)),
    )
    await history.refresh()
    const savings = [
      { time: 3_595_000, tokens: 100.4 },
      { time: 1_000, tokens: 5 },
    ]
    const { slotMs, startedAt, calls, errors, p50, p95, tokensSaved } = usageOver(
      10,
      3_599_500,
      history.past(),
      everyone,
      savings,
    )
    expect([slotMs, startedAt, calls.length]).toEqual([10_000, new Date(3_000_000).toISOString(), 60])
    expect([calls.at(-1), errors.at(-1), p50.at(-1), p95.at(-1), tokensSaved?.at(-1)]).toEqual([2, 1, 5, 15, 100])
    expect([calls.at(-2), p50.at(-2), tokensSaved?.at(-2)]).toEqual([0, null, 0])
    expect(usageOver(10, 3_599_500, [], everyone, undefined)).not.toHaveProperty('tokensSaved')
  })
})
