import { expect, it } from 'vitest'
import { createOpenRequests } from './open-requests.ts'

const text = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message })
const call = (id: number | string) => text({ id, method: 'tools/call', params: { name: 'add' } })

/** The ids of the error answers after the gateway is lost. */
function failed(requests: ReturnType<typeof createOpenRequests>) {
  return requests.onGatewayLost().toClient.flatMap((line) => {
    const { id, error } = JSON.parse(line)
    return error?.data.code === 'GATEWAY_LOST' ? [id] : []
  })
}

it.each([
  ['the id first', text({ id: 1, result: { id: 2 } })],
  ['the id last', JSON.stringify({ result: { text: '"id":2}' }, jsonrpc: '2.0', id: 1 })],
  ['an error', JSON.stringify({ error: { code: 1, message: 'no' }, jsonrpc: '2.0', id: 1 })],
  ['fields in another order', JSON.stringify({ id: 1, jsonrpc: '2.0', result: {} })],
])('an answer with %s closes its request and no other', (_, answer) => {
  const requests = createOpenRequests()
  requests.passFromClient(call(1))
  requests.passFromClient(call(2))
  expect(requests.passFromGateway(answer)).toBe(answer)
  expect(failed(requests)).toEqual([2])
})

it('a request of the gateway with the id of a call does not close the call', () => {
  const requests = createOpenRequests()
  requests.passFromClient(call('a"b'))
  requests.passFromGateway(text({ id: 'a"b', method: 'elicitation/create', params: {} }))
  requests.passFromGateway(JSON.stringify({ method: 'ping', jsonrpc: '2.0', id: 'a"b' }))
  expect(failed(requests)).toEqual(['a"b'])
})

it('an answer of the client to a request of the lost gateway is dropped, and the request is cancelled', () => {
  const requests = createOpenRequests()
  requests.passFromGateway(text({ id: 0, method: 'elicitation/create', params: {} }))
  const [cancelled = ''] = requests.onGatewayLost().toClient
  expect(JSON.parse(cancelled)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 0 } })
  const accept = { result: { action: 'accept' } }
  expect(requests.passFromClient(text({ id: 0, ...accept }))).toBeUndefined()
  // The next gateway asks with the same id. The client sees another id, so a late answer is not taken for a new one.
  const shown = JSON.parse(requests.passFromGateway(text({ id: 0, method: 'elicitation/create', params: {} })) ?? '')
  expect(requests.passFromClient(text({ id: 0, ...accept }))).toBeUndefined()
  expect(JSON.parse(requests.passFromClient(text({ id: shown.id, ...accept })) ?? '')).toMatchObject({
    id: 0,
    ...accept,
  })
})

it('a gateway after the first cancels its request with the id that the client knows', () => {
  const requests = createOpenRequests()
  requests.onGatewayLost()
  const question = text({ id: 0, method: 'elicitation/create', params: {} })
  const shown = JSON.parse(requests.passFromGateway(question) ?? '')
  const cancelled = requests.passFromGateway(text({ method: 'notifications/cancelled', params: { requestId: 0 } }))
  expect(JSON.parse(cancelled ?? '')).toMatchObject({ params: { requestId: shown.id } })
  expect(requests.passFromClient(text({ id: shown.id, result: {} }))).toBeUndefined()
  expect(requests.onGatewayLost().toClient).toEqual([])
})

it('a cancelled call gets no answer when the gateway is lost', () => {
  const requests = createOpenRequests()
  requests.passFromClient(call(1))
  requests.passFromClient(text({ method: 'notifications/cancelled', params: { requestId: 1 } }))
  expect(failed(requests)).toEqual([])
})

it('a request for the tool list is sent again to the next gateway, and a call is not', () => {
  const requests = createOpenRequests()
  const list = text({ id: 3, method: 'tools/list' })
  requests.passFromClient(call(1))
  requests.passFromClient(list)
  const { toClient, toGateway } = requests.onGatewayLost()
  expect(toClient.map((line) => JSON.parse(line).id)).toEqual([1])
  expect(toGateway).toEqual([list])
  expect(requests.onGatewayLost({ isFinal: true }).toClient).toHaveLength(1)
})

it('the next gateway gets the handshake and log level of a legacy client, and the client does not get the answers again', () => {
  const requests = createOpenRequests()
  const handshake = text({ id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } })
  const initialized = text({ method: 'notifications/initialized' })
  requests.passFromClient(handshake)
  requests.passFromGateway(text({ id: 0, result: {} }))
  requests.passFromClient(initialized)
  for (const [id, level] of ['info', 'error'].entries())
    requests.passFromClient(text({ id, method: 'logging/setLevel', params: { level } }))
  for (const id of [0, 1]) requests.passFromGateway(text({ id, result: {} }))

  const { toClient, toGateway } = requests.onGatewayLost()
  expect(toClient).toEqual([])
  expect(toGateway.slice(0, 2)).toEqual([handshake, initialized])
  expect(toGateway.slice(2).map((line) => JSON.parse(line))).toMatchObject([
    { method: 'logging/setLevel', params: { level: 'error' } },
  ])
  for (const line of toGateway) {
    const { id } = JSON.parse(line)
    if (id !== undefined) expect(requests.passFromGateway(text({ id, result: {} }))).toBeUndefined()
  }
  expect(requests.messagesAfterRejoin().map((line) => JSON.parse(line).method)).toEqual([
    'notifications/tools/list_changed',
  ])
})

it('a handshake without an answer is sent again once, and the client gets the answer', () => {
  const requests = createOpenRequests()
  const handshake = text({ id: 0, method: 'initialize', params: {} })
  requests.passFromClient(handshake)
  expect(requests.onGatewayLost().toGateway).toEqual([handshake])
  const answer = text({ id: 0, result: {} })
  expect(requests.passFromGateway(answer)).toBe(answer)
})

it('a line that is not a JSON-RPC message is passed on unchanged', () => {
  const requests = createOpenRequests()
  for (const line of ['no json', '[]', '7', 'null']) {
    expect(requests.passFromClient(line)).toBe(line)
    expect(requests.passFromGateway(line)).toBe(line)
  }
})

it('a request that is sent again fails if the next gateway ends too', () => {
  const requests = createOpenRequests()
  requests.passFromClient(text({ id: 3, method: 'tools/list' }))
  expect(requests.onGatewayLost().toGateway).toHaveLength(1)
  expect(failed(requests)).toEqual([3])
})
