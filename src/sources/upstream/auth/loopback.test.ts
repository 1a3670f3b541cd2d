import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { openLoopback } from './loopback.ts'

async function open() {
  const loopback = await openLoopback('the-state')
  onTestFinished(() => loopback.close())
  const { host, port } = new URL(loopback.redirectUrl)
  /** Sends a GET request for any target, even one that `fetch` refuses. Returns the first line of the response. */
  const send = async (target: string) => {
    const socket = createConnection(Number(port), '127.0.0.1')
    socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    return (await text(socket)).split('\r\n')[0]
  }
  return { ...loopback, send }
}

it.each(['//', 'http://[', '/other', 'http://other.example/callback?state=wrong'])(
  'answers a request for %s, and does not end the login',
  async (target) => {
    const { send, redirected } = await open()
    expect(await send(target)).toMatch(/^HTTP\/1\.1 40[04] /)
    expect(await send('/callback?state=wrong')).toBe('HTTP/1.1 400 Bad Request')
    void send('/callback?state=the-state&code=c')
    expect((await redirected).params.get('code')).toBe('c')
  },
)
