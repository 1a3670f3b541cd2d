// Rows 1 to 3 of docs/security.md: servers that exit, hang or flood.

import { describe, expect, it } from 'vitest'
import type { GatewayClient } from '../e2e/gateway/client.ts'
import { useHome } from '../e2e/gateway/home.ts'
import { atMost, hostile, report, useFaultGateway } from './harness.ts'
import { watchMemory } from './processes.ts'

const MEGABYTE = 2 ** 20
const home = useHome()
const log = (name: string) => home.lines(`${name}.log`)
const logged = (mode: string, name: string) => hostile(mode, { HOSTILE_LOG: home.at(`${name}.log`) })

const DEADLINE_MS = 500
const gateway = useFaultGateway({
  home,
  door: 'http',
  servers: {
    'exits-a': logged('plain', 'exits'),
    'exits-b': logged('plain', 'exits'),
    hangs: { ...logged('plain', 'hangs'), timeoutMs: DEADLINE_MS },
    floods: logged('plain', 'floods'),
    babbles: { ...logged('plain', 'babbles'), timeoutMs: 3_000 },
    banner: logged('banner', 'banner'),
  },
})

it('row 1: a server that exits 50 ms into a call, 100 times, gives 100 typed errors in under 1 s each, and the next call works', async () => {
  const client = await gateway().connect()
  const times: number[] = []
  // Two servers at the same time, because most of the time is the start of a process.
  const exitOften = async (server: string) => {
    for (let time = 0; time < 50; time++) {
      const before = performance.now()
      const { error } = await client.ask('execute_tool', { server, tool: 'exit', arguments: { afterMs: 50 } })
      times.push(performance.now() - before)
      expect(error).toMatchObject({ code: 'SERVER_LOST', message: expect.stringContaining('code 7') })
    }
  }
  await Promise.all([exitOften('exits-a'), exitOften('exits-b')])
  report(`row 1: ${times.length} errors, the slowest after ${Math.round(Math.max(...times))} ms`)
  expect(times).toHaveLength(100)
  expect(Math.max(...times)).toBeLessThan(atMost(1_000))
  // Each call reached the server once: the gateway repeats no call by itself.
  expect(log('exits').filter((line) => line.startsWith('call exit'))).toHaveLength(100)
  for (const server of ['exits-a', 'exits-b']) {
    expect((await client.run({ server, tool: 'fine' })).structuredContent).toMatchObject({ success: true })
  }
})

it('row 2: a server that never answers gives an error at the deadline, gets a cancel for each call, and serves the next call', async () => {
  const client = await gateway().connect()
  await client.run({ server: 'hangs', tool: 'fine' })
  const calls = Array.from({ length: 20 }, async () => {
    const before = performance.now()
    const { error } = await client.ask('execute_tool', { server: 'hangs', tool: 'silent' })
    expect(error).toMatchObject({ code: 'TIMEOUT' })
    return performance.now() - before
  })
  const times = await Promise.all(calls)
  report(`row 2: a deadline of ${DEADLINE_MS} ms gave errors after ${Math.round(Math.max(...times))} ms at most`)
  expect(Math.min(...times)).toBeGreaterThan(DEADLINE_MS - 50)
  expect(Math.max(...times)).toBeLessThan(DEADLINE_MS + atMost(300))
  const cancels = () => log('hangs').filter((line) => line.startsWith('cancelled call')).length
  await expect.poll(cancels).toBe(20)
  expect((await client.run({ server: 'hangs', tool: 'fine' })).structuredContent).toMatchObject({ success: true })
  expect(log('hangs').filter((line) => line.startsWith('start'))).toHaveLength(1)
})

describe('row 3', () => {
  /** Calls a tool that sends this many bytes, and returns its answer with the growth of the gateway's memory. */
  const flood = async (client: GatewayClient, server: string, tool: string, bytes: number) => {
    // The first long message loads code and grows the heap once, so it is not measured.
    await client.run({ server, tool, arguments: { bytes: MEGABYTE } })
    const growth = watchMemory(gateway().pid)
    const answer = await client.run({ server, tool, arguments: { bytes } })
    report(`row 3: ${tool} with ${bytes / MEGABYTE} MB grew the memory by ${Math.round(growth())} MB`)
    expect(growth()).toBeLessThan(64)
    return answer.structuredContent
  }

  it('row 3: 1 GB on stderr grows the memory by less than 64 MB', async () => {
    const client = await gateway().connect()
    const answer = await flood(client, 'floods', 'flood-stderr', 1_024 * MEGABYTE)
    expect(answer).toMatchObject({ success: true, result: 'flooded' })
  })

  it('row 3: an answer of 200 MB grows the memory by less than 64 MB, and only its call fails, with the reason', async () => {
    const client = await gateway().connect()
    const answer = await flood(client, 'floods', 'long-answer', 200 * MEGABYTE)
    expect(answer).toMatchObject({
      success: false,
      error: { message: expect.stringMatching(/its message is 2097\d+ bytes long; at most 16777216 are read/) },
    })
    expect((await client.run({ server: 'floods', tool: 'fine' })).structuredContent).toMatchObject({ success: true })
  })

  it('row 3: 200 MB without a newline grow the memory by less than 64 MB, and the log of the gateway has the reason', async () => {
    const client = await gateway().connect()
    // The answer is part of the endless line, so the call ends at its deadline.
    const answer = await flood(client, 'babbles', 'flood-stdout', 200 * MEGABYTE)
    expect(answer).toMatchObject({ success: false, error: { code: 'TIMEOUT' } })
    expect(gateway().stderr).toMatch(/babbles.*has sent 16\d{6} bytes without a newline; at most 16777216 are read/)
    expect((await client.run({ server: 'babbles', tool: 'fine' })).structuredContent).toMatchObject({ success: true })
  })

  it('row 3: banner lines before the first message are harmless', async () => {
    const client = await gateway().connect()
    const { structuredContent } = await client.run({ server: 'banner', tool: 'fine' })
    expect(structuredContent).toMatchObject({ success: true })
  })
})
