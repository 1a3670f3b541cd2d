import { McpServer } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sourceContract } from '../source.contract.ts'
import { CALL, createSdkServerSource, LIST, openSdkServer, SDK_CONTEXT, type SdkServer } from './sdk-server-source.ts'

/** The part of the SDK's request context that the server's own handlers read. */
const REQUEST = { mcpReq: { id: 1, signal: new AbortController().signal, requestState: () => undefined } }

sourceContract('the source of an SDK server', async () => {
  const server = new McpServer({ name: 'sums', version: '1.0.0' })
  const add = { description: 'Adds two numbers.', inputSchema: z.object({ a: z.number(), b: z.number() }) }
  server.registerTool('sum-add', add, ({ a, b }) => ({ content: [{ type: 'text', text: `${a + b}` }] }))
  const opened = openSdkServer(server)
  const refuse = () => Promise.reject(new Error('not part of this test'))
  opened.replace({ [LIST]: refuse, [CALL]: refuse })
  const source = createSdkServerSource(opened.own)
  await source.refresh(REQUEST)
  return {
    source: {
      ...source,
      call: (name, input, context) => source.call(name, input, { ...context, [SDK_CONTEXT]: REQUEST }),
    },
    sample: { name: 'sum-add', input: { a: 2, b: 1 }, data: 3 },
    async change() {
      server.registerTool('sum-clear', { description: 'Clears the sum.' }, () => ({ content: [] }))
      source.expire()
      await source.refresh(REQUEST)
    },
  }
})

describe('openSdkServer', () => {
  it('refuses an object that is not a server of the SDK, with the reason', () => {
    const other = { registerCapabilities() {}, getCapabilities: () => ({}) } as unknown as SdkServer // a JavaScript caller can do this
    expect(() => openSdkServer(other)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', message: expect.stringContaining('found an object') }),
    )
  })
})
