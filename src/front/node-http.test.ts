import { describe, expect, it } from 'vitest'
import { openDoor, within } from './door.fixture.ts'
import { ask, begin } from './raw-client.fixture.ts'

describe('a response with a body that fails', () => {
  it.each([
    ['text', 'text/plain'],
    ['JSON', 'application/json'],
  ])('closes the connection and reports the error once: %s', async (_what, type) => {
    const body = () =>
      new ReadableStream({
        pull(controller) {
          controller.error(new Error('no more'))
        },
      })
    const respond = async () => new Response(body(), { headers: { 'content-type': type } })
    const { port, front } = await openDoor({ metrics: { isPublic: true, admits: () => true, respond } })
    const answer = begin(port, { method: 'GET', path: '/metrics' })
    await within(5_000, 'the connection is closed', answer.ended)
    expect(front.errors.map(({ message }) => message)).toEqual(['no more'])
    expect((await ask(port, { method: 'GET', path: '/health' })).status).toBe(200)
  })
})
