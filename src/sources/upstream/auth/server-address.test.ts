import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createLoginFetch, isSafe, loginUrl } from './server-address.ts'

const { signal } = new AbortController()

describe('the address of a server', () => {
  it('loginUrl removes the user name, the password and the fragment of an address', () => {
    expect(loginUrl('https://ada:secret@a.example/mcp?x=1#part')).toBe('https://a.example/mcp?x=1')
  })

  it.each([
    ['https://a.example/mcp', true],
    ['http://127.0.0.1:8080/mcp', true],
    ['http://localhost/mcp', true],
    ['http://[::1]:3000/mcp', true],
    ['http://a.example/mcp', false],
    ['http://127.0.0.1.evil.example/mcp', false],
    ['http://192.168.1.2/mcp', false],
    ['file:///etc/passwd', false],
  ])('isSafe(%s) returns %s', (url, expected) => {
    expect(isSafe(new URL(url))).toBe(expected)
  })
})

describe('the fetch of a login', () => {
  const requested: string[] = []
  const inner = async (url: string | URL) => {
    requested.push(String(url))
    return new Response('{}')
  }

  it('sends no request to an address without TLS', async () => {
    const fetch = createLoginFetch(new URL('https://a.example/mcp'), signal, inner)
    await expect(fetch('http://login.example/token')).rejects.toThrow('https')
    expect(requested).toEqual([])
  })

  it('ends a request after 15 seconds, even if its answer has begun', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let limited: AbortSignal | null | undefined
    const fetch = createLoginFetch(new URL('https://a.example/mcp'), signal, async (_url, init) => {
      limited = init?.signal
      return new Response('{}')
    })
    await fetch('https://login.example/token')
    vi.advanceTimersByTime(14_999)
    expect(limited?.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(limited?.reason).toMatchObject({ name: 'TimeoutError', message: 'No answer in 15000 ms' })
  })

  it('sends no request to this machine if the server is on another machine', async () => {
    const fetch = createLoginFetch(new URL('https://a.example/mcp'), signal, inner)
    await expect(fetch('http://127.0.0.1:2375/containers')).rejects.toThrow('an address of this machine')
    await expect(fetch('https://localhost/admin')).rejects.toThrow('an address of this machine')
    expect(requested).toEqual([])
    await fetch('https://login.example/token')
    expect(requested).toEqual(['https://login.example/token'])
  })

  it.each(['10.0.0.1', '172.31.0.1', '192.168.1.2', '169.254.169.254', '[fe80::1]', '[fd00::1]', '[::ffff:10.0.0.1]'])(
    'sends a request to %s only if the server is in a private network or on this machine',
    async (host) => {
      const url = `https://${host}/token`
      const fetchOfPublicServer = createLoginFetch(new URL('https://a.example/mcp'), signal, inner)
      await expect(fetchOfPublicServer(url)).rejects.toThrow('an address of a private network')
      for (const server of ['https://192.168.7.7/mcp', 'http://127.0.0.1:3000/mcp']) {
        const fetch = createLoginFetch(new URL(server), signal, inner)
        expect((await fetch(url)).status).toBe(200)
      }
    },
  )
})
