// Rows 4 and 15 of docs/security.md: HTTP servers that forget sessions, break off answers, or redirect.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { atMost, useFaultGateway } from './harness.ts'
import { type HttpUpstream, startHttpUpstream } from './http-upstream.ts'

const CLIENT_TOKEN = 'the-token-of-the-client-0123456789'
const SERVER_TOKEN = 'the-token-for-the-server-0123456789'
let shop: HttpUpstream
let moved: HttpUpstream
/** Stands for a service in the private network: another address, which only this machine can reach. */
let inner: HttpUpstream
beforeAll(async () => {
  shop = await startHttpUpstream()
  moved = await startHttpUpstream()
  inner = await startHttpUpstream('127.0.0.2')
})
afterAll(() => Promise.all([shop, moved, inner].map((server) => server.close())))

const gateway = useFaultGateway(() => ({
  door: 'http',
  env: { CLIENT_TOKEN, SERVER_TOKEN },
  config: { http: { tokens: { alice: `\${CLIENT_TOKEN}` } } },
  servers: {
    shop: { url: shop.url, timeoutMs: 2_000 },
    moved: { url: moved.url, headers: { Authorization: `Bearer \${SERVER_TOKEN}` } },
    'moved-sse': {
      type: 'sse',
      url: moved.url,
      headers: { Authorization: `Bearer \${SERVER_TOKEN}` },
      tools: [{ name: 'read' }],
    },
    allowed: { url: inner.url },
  },
}))
const connect = () => gateway().connect({ token: CLIENT_TOKEN })

describe('row 4', () => {
  it('row 4: after a restart of the server, which forgets the session, reads and writes work again and each ran once', async () => {
    const client = await connect()
    await client.run({ server: 'shop', tool: 'read' })
    for (const tool of ['read', 'write', 'write', 'read']) {
      const before = shop.runs(tool)
      shop.forgetSessions()
      const { structuredContent } = await client.run({ server: 'shop', tool })
      expect(structuredContent).toMatchObject({ success: true, result: `did ${tool}` })
      expect(shop.runs(tool)).toBe(before + 1)
    }
  })

  it('row 4: a read is repeated once if the connection breaks, and a write is not repeated and gives an error', async () => {
    const client = await connect()
    for (const [tool, runs] of [
      ['read', 2],
      ['write', 1],
    ] as const) {
      const before = shop.runs(tool)
      // The work is done, but the answer never arrives.
      shop.onCall((response, run) => {
        run()
        response.destroy()
        if (tool === 'read') shop.onCall(undefined)
      })
      const { structuredContent } = await client.run({ server: 'shop', tool })
      shop.onCall(undefined)
      expect(shop.runs(tool)).toBe(before + runs)
      expect(structuredContent).toMatchObject(
        tool === 'read' ? { success: true } : { success: false, error: { code: 'SERVER_LOST' } },
      )
    }
  })

  it.each([200, 202, 204, 400, 500, 503])(
    'row 4: a write that is answered with HTTP %i and no body gives an error, never a success, and ran once',
    async (status) => {
      const client = await connect()
      const before = shop.runs('write')
      shop.onCall((response, run) => {
        // Each request counts as a run, so a repetition would be seen.
        run()
        response.writeHead(status, { 'content-type': 'text/plain' }).end()
      })
      const { structuredContent } = await client.run({ server: 'shop', tool: 'write' })
      shop.onCall(undefined)
      expect(structuredContent).toMatchObject({ success: false, error: { code: expect.any(String) } })
      expect(shop.runs('write')).toBe(before + 1)
    },
  )
})

describe('row 15', () => {
  it.each([
    ['a link-local address', () => 'http://169.254.169.254/latest/meta-data'],
    ['a private address', () => 'http://10.0.0.1/mcp'],
    ['another host of this machine', () => inner.url],
  ])('row 15: a redirect to %s is not followed, and the error names it', async (_name, location) => {
    const client = await connect()
    const before = inner.headers.length
    for (const status of [301, 302, 307, 308]) {
      moved.redirectTo(location(), status)
      for (const server of ['moved', 'moved-sse']) {
        const started = performance.now()
        const { structuredContent } = await client.run({ server, tool: 'read' })
        expect(structuredContent).toMatchObject({
          success: false,
          error: { message: expect.stringMatching(/redirect to .* not followed/i) },
        })
        expect(performance.now() - started).toBeLessThan(atMost(2_000))
      }
    }
    expect(inner.headers.length).toBe(before)
  })

  it('row 15: another host of this machine is reached if the config names it', async () => {
    const client = await connect()
    const { structuredContent } = await client.run({ server: 'allowed', tool: 'read' })
    expect(structuredContent).toMatchObject({ success: true })
  })

  it('row 15: the token of the client reaches no server, and the token of a server reaches no other', async () => {
    const client = await connect()
    moved.redirectTo(undefined)
    for (const server of ['shop', 'moved', 'allowed']) await client.run({ server, tool: 'read' })
    const received = (server: HttpUpstream) => JSON.stringify(server.headers)
    for (const server of [shop, moved, inner]) expect(received(server)).not.toContain(CLIENT_TOKEN)
    expect(received(moved)).toContain(SERVER_TOKEN)
    for (const server of [shop, inner]) expect(received(server)).not.toContain(SERVER_TOKEN)
  })
})
