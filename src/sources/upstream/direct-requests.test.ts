import { InMemoryTransport, type JSONRPCMessage, SdkErrorCode } from '@modelcontextprotocol/client'
import { describe, expect, it, vi } from 'vitest'
import { createDirectRequests } from './direct-requests.ts'

interface Sent {
  readonly id?: number
  readonly method?: string
  readonly params?: Record<string, unknown>
}

/** Direct requests over one end of a transport pair. The other end is the server. */
async function open() {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const direct = createDirectRequests(near)
  const received: Sent[] = []
  const forClient: JSONRPCMessage[] = []
  far.onmessage = (message) => void received.push(message as Sent) // sent by this side
  direct.transport.onmessage = (message) => void forClient.push(message)
  const onClose = vi.fn()
  direct.transport.onclose = onClose
  await Promise.all([direct.transport.start(), far.start()])
  const idOf = (index: number) => received[index]?.id ?? -1
  return { direct, far, received, forClient, onClose, idOf }
}

const NO_REASON = 'the server failed and gave no reason'
const never = new AbortController().signal

describe('direct requests', () => {
  it('a direct request resolves with the result as it was sent, even if the id came back as text', async () => {
    const { direct, far, received, idOf } = await open()
    const [one, two] = [direct.request('tools/call', { name: 'a' }, never), direct.request('tools/call', {}, never)]
    expect(received).toMatchObject([{ method: 'tools/call', params: { name: 'a' } }, { method: 'tools/call' }])
    await far.send({ jsonrpc: '2.0', id: String(idOf(1)), result: { content: [], extra: { deep: 1 } } })
    await far.send({ jsonrpc: '2.0', id: idOf(0), result: { content: 'anything' } })
    expect(await one).toEqual({ content: 'anything' })
    expect(await two).toEqual({ content: [], extra: { deep: 1 } })
  })

  it("leaves all other messages to the SDK's client", async () => {
    const { direct, far, forClient } = await open()
    void direct.request('tools/call', {}, never).catch(() => {})
    const others: JSONRPCMessage[] = [
      { jsonrpc: '2.0', id: 0, result: {} },
      { jsonrpc: '2.0', id: 1_000_000_001, method: 'roots/list' },
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
    ]
    for (const message of others) await far.send(message)
    expect(forClient).toEqual(others)
  })

  it("a direct request rejects with the server's error", async () => {
    const { direct, far, idOf } = await open()
    const request = direct.request('tools/call', {}, never)
    await far.send({ jsonrpc: '2.0', id: idOf(0), error: { code: -32_602, message: 'no such tool' } })
    await expect(request).rejects.toMatchObject({ code: -32_602, message: 'no such tool' })
  })

  it.each([[null], ['hello'], [[1, 2]], [undefined]])(
    'a direct request rejects with the code for an invalid result if the result is %j',
    async (result) => {
      const { direct, far, idOf } = await open()
      const request = direct.request('tools/call', {}, never)
      await far.send({ jsonrpc: '2.0', id: idOf(0), result } as never) // a broken server can send this
      const invalid = { code: SdkErrorCode.InvalidResult, message: 'its answer is not an object' }
      await expect(request).rejects.toMatchObject(invalid)
    },
  )

  it.each([
    [{ code: 'x', message: 'text' }, 'text'],
    ['just text', 'just text'],
    [null, NO_REASON],
    ['', NO_REASON],
    [{ code: 1 }, NO_REASON],
    [{ code: 1, message: '' }, NO_REASON],
    [{ code: 1, message: { a: 1 } }, NO_REASON],
  ])('a direct request rejects with a readable message if the error of the server is %j', async (error, message) => {
    const { direct, far, idOf } = await open()
    const request = direct.request('tools/call', {}, never)
    await far.send({ jsonrpc: '2.0', id: idOf(0), error } as never) // a broken server can send this
    await expect(request).rejects.toMatchObject({ message })
  })

  it('notifies the server of a cancellation once, and waits for no answer', async () => {
    const { direct, far, received, forClient, idOf } = await open()
    const cancel = new AbortController()
    const request = direct.request('tools/call', {}, cancel.signal)
    cancel.abort(new Error('enough'))
    await expect(request).rejects.toThrow('enough')
    const cancelled = { method: 'notifications/cancelled', params: { requestId: idOf(0), reason: 'Error: enough' } }
    expect(received.slice(1)).toMatchObject([cancelled])
    await far.send({ jsonrpc: '2.0', id: idOf(0), result: {} })
    expect(forClient).toHaveLength(1)
    await expect(direct.request('tools/call', {}, cancel.signal)).rejects.toThrow('enough')
    expect(received).toHaveLength(2)
  })

  it('rejects a request when the connection closes', async () => {
    const { direct, far, onClose } = await open()
    const request = direct.request('tools/call', {}, never)
    await far.close()
    await expect(request).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    expect(onClose).toHaveBeenCalledOnce()
  })

  it('adds the envelope of the modern protocol, and keeps the _meta of the call', async () => {
    const { direct, received } = await open()
    direct.useEnvelope({ protocolVersion: '2026-07-28', clientInfo: { name: 'crib', version: '1' } })
    void direct.request('tools/call', { _meta: { progressToken: 'x' } }, never).catch(() => {})
    expect(received[0]?.params?._meta).toEqual({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'crib', version: '1' },
      progressToken: 'x',
    })
  })
})
