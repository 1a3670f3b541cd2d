// Messages that a client library does not send: nested too deeply, not JSON, or not a valid request.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BatchResult, CommandResult } from '../../src/index.ts'
import { combinations, covers, OVER } from './harness.ts'
import { type FrameConnection, openRaw } from './raw.ts'

const LEVELS = 5_000
const deepObjects = `${'{"value":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`
const deepLists = `${'['.repeat(LEVELS)}1${']'.repeat(LEVELS)}`

describe.each(combinations)(OVER, (combination) => {
  let opened: FrameConnection | undefined
  beforeAll(async () => {
    opened = await openRaw(combination, 'trouble')
  })
  afterAll(() => opened?.close())
  const call = async (tool: string, argumentsText: string) => {
    const { result } = await opened!.call(tool, argumentsText)
    const { success, data, error, ...rest }: Partial<CommandResult> = result?.structuredContent ?? {}
    return { isError: result?.isError ?? false, success, data, error, ...rest }
  }
  const expectAlive = async () => {
    expect(await call('strict-take', '{"n": 1}')).toMatchObject({ success: true, data: { n: 1 } })
  }

  it.each([
    ['objects', deepObjects],
    ['lists', deepLists],
  ])('the server accepts 5,000 nested %s for a parameter of any type', async (_, deep) => {
    covers('BI-2')
    const facts = { depth: LEVELS, isPolluted: false }
    expect(await call('measure', `{"value":${deep}}`)).toMatchObject({ success: true, data: facts })
    expect(await call('afd-call', `{"command":"measure","input":{"value":${deep}}}`)).toMatchObject({ data: facts })
    const batch = await call('afd-batch', `{"commands":[{"command":"measure","input":{"value":${deep}}}]}`)
    expect((batch as unknown as BatchResult).results[0]?.result.data).toMatchObject(facts) // what a batch answers
    await expectAlive()
  })

  it.each([
    ['strict-take', '{"n":DEEP}'],
    ['afd-call', '{"command":DEEP}'],
    ['afd-call', '{"command":"strict-take","input":DEEP}'],
    ['afd-detail', '{"command":DEEP}'],
    ['afd-discover', '{"tag":DEEP}'],
    ['afd-batch', '{"commands":DEEP}'],
    ['afd-batch', '{"commands":[{"command":DEEP}]}'],
    ['afd-pipe', '{"steps":DEEP}'],
    ['afd-pipe', '{"steps":[{"command":"measure","input":{"value":DEEP}}]}'],
    ['afd-pipe', '{"steps":[{"command":"measure","when":DEEP}]}'],
  ])('the server refuses 5,000 nested levels in %s %s', async (tool, template) => {
    covers('BI-2')
    for (const deep of [deepObjects, deepLists]) {
      const { isError, error } = await call(tool, template.replace('DEEP', deep))
      expect(isError).toBe(true)
      expect(error?.code).toMatch(/^(VALIDATION_ERROR|INVALID_BATCH_REQUEST)$/)
    }
    await expectAlive()
  })

  it.each(['"text"', '[]', '7', 'null', 'true'])(
    'the server answers a call that has the arguments %s with an error',
    async (argumentsText) => {
      covers('BI-1')
      const answer = await opened!.call('strict-take', argumentsText)
      // The protocol requires an object. The SDK or this project refuses it; the request must get an answer.
      expect(answer.error ?? answer.result?.structuredContent?.error).toBeDefined()
      await expectAlive()
    },
  )

  if (combination.transport !== 'memory') {
    it.each(['{', 'hello', '[1, 2', '{"jsonrpc": "2.0"}', '42', '""', '{"jsonrpc":"2.0","id":1,"method":7}'])(
      'the server answers the next request after the message %s',
      async (text) => {
        covers('BI-1', 'HT-2')
        const answer = await opened!.send(text)
        // Over HTTP the message gets an answer; over stdio it may not.
        if (combination.transport === 'http') expect(answer?.error?.code).toEqual(expect.any(Number))
        await expectAlive()
      },
    )
  }
})
