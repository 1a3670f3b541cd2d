import { expect, it, vi } from 'vitest'
import { type Authorization, createAuthorizedFetch } from './authorized-fetch.ts'

const server = new URL('https://a.example/mcp')
const authorization: Authorization = {
  token: async () => 'the-token',
  renew: async () => 'another-token',
  stepUp: async () => 'a-wider-token',
  refused: () => new Error('refused twice'),
}

/** A fetch that gets these answers one after the other. `sent` has the Authorization header of each request. */
function recordingFetch(answers: readonly Response[]) {
  const sent: (string | null)[] = []
  const left = [...answers]
  const send = createAuthorizedFetch(server, authorization, async (_url, init) => {
    sent.push(new Headers(init?.headers).get('authorization'))
    return left.shift() ?? new Response('ok')
  })
  return { sent, send }
}

it('sends the token only to the origin of the server', async () => {
  const { sent, send } = recordingFetch([])
  for (const url of ['https://a.example/other', 'https://b.example/mcp', 'http://a.example/mcp']) await send(url)
  expect(sent).toEqual(['Bearer the-token', null, null])
})

it('repeats a refused request only once with a renewed token', async () => {
  const { sent, send } = recordingFetch([new Response(null, { status: 401 }), new Response(null, { status: 401 })])
  await expect(send(server)).rejects.toThrow('refused twice')
  expect(sent).toEqual(['Bearer the-token', 'Bearer another-token'])
})

it('asks for a token with more scopes only if the server answers with insufficient_scope', async () => {
  const header = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="write"' }
  const { sent, send } = recordingFetch([
    new Response(null, { status: 403 }),
    new Response(null, { status: 403, headers: header }),
  ])
  expect((await send(server)).status).toBe(403)
  expect((await send(server)).status).toBe(200)
  expect(sent).toEqual(['Bearer the-token', 'Bearer the-token', 'Bearer a-wider-token'])
})

it.each([401, 403])(
  'frees the connection of a refused request (HTTP %i) if no other token can be obtained',
  async (status) => {
    const cancel = vi.fn()
    const body = new ReadableStream({ cancel })
    const headers = { 'www-authenticate': 'Bearer error="insufficient_scope"' }
    const fail = () => Promise.reject(new Error('no login'))
    const send = createAuthorizedFetch(server, { ...authorization, renew: fail, stepUp: fail }, async () => {
      return new Response(body, { status, headers })
    })
    await expect(send(server)).rejects.toThrow('no login')
    expect(cancel).toHaveBeenCalledOnce()
  },
)
