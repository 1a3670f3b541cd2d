import { describe, expect, it } from 'vitest'
import { type CorsOptions, corsFor } from './cors.ts'

const APP = 'https://app.example.com'

function asked(origin: string | null, init: RequestInit = {}): Request {
  const headers = new Headers(init.headers)
  if (origin !== null) headers.set('origin', origin)
  return new Request('http://localhost:3100/mcp', { ...init, headers })
}

/** The Access-Control headers of a response to a page of this origin. */
function shownTo(origin: string | null, cors: CorsOptions | undefined): Headers {
  return corsFor(cors).decorate(asked(origin), Response.json({ ok: true })).headers
}

describe('access to a response', () => {
  it.each([
    ['no page by default', undefined, 'http://localhost:5173', null],
    ['no page if cors is false', false, 'http://localhost:5173', null],
    ['a page of localhost if cors is true', true, 'http://localhost:5173', 'http://localhost:5173'],
    ['a page of 127.0.0.1 if cors is true', true, 'http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['a page of another loopback address if cors is true', true, 'http://127.0.0.2:8080', 'http://127.0.0.2:8080'],
    ['a page of ::1 if cors is true', true, 'http://[::1]:8080', 'http://[::1]:8080'],
    ['no foreign page if cors is true', true, APP, null],
    ['no page with a hostname that only begins with localhost', true, 'http://localhost.evil.example', null],
    ['no page with the origin null', true, 'null', null],
    ['a configured origin', APP, APP, APP],
    ['each configured origin', ['https://a.example', APP], APP, APP],
    ['no other port of a configured origin', APP, `${APP}:8443`, null],
    ['no other scheme of a configured origin', APP, 'http://app.example.com', null],
    ['no subdomain of a configured origin', APP, 'https://x.app.example.com', null],
    ['not localhost if other origins are configured', APP, 'http://localhost:5173', null],
    ['no page if the list of origins is empty', [], 'http://localhost:5173', null],
    ['a configured origin with a trailing slash', `${APP}/`, APP, APP],
  ] as const)('decides which pages may read a response: %s', (_who, cors, origin, allowed) => {
    expect(shownTo(origin, cors).get('access-control-allow-origin')).toBe(allowed)
  })

  it('never allows all origins and never allows credentials', () => {
    for (const cors of [true, APP, [APP]]) {
      const headers = shownTo(APP, cors)
      expect(headers.get('access-control-allow-origin')).not.toBe('*')
      expect(headers.has('access-control-allow-credentials')).toBe(false)
    }
  })

  it('adds origin to an existing Vary header', () => {
    const response = new Response('{}', { headers: { vary: 'accept' } })
    const { headers } = corsFor(true).decorate(asked('http://localhost:1'), response)
    expect(headers.get('vary')).toBe('accept, origin')
  })

  it('lets the page read the session id', () => {
    expect(shownTo(APP, APP).get('access-control-expose-headers')).toContain('mcp-session-id')
  })

  it('keeps status, body and other headers', async () => {
    const given = Response.json({ error: 1 }, { status: 401, headers: { 'www-authenticate': 'Bearer' } })
    const shown = corsFor(true).decorate(asked('http://localhost:1'), given)
    expect(shown.status).toBe(401)
    expect(shown.headers.get('www-authenticate')).toBe('Bearer')
    expect(await shown.json()).toEqual({ error: 1 })
  })

  it('returns the response unchanged when the request has no origin', () => {
    const given = Response.json({})
    expect(corsFor(true).decorate(asked(null), given)).toBe(given)
  })
})

describe('the origin check', () => {
  it('the origin check allows the hostnames of the configured origins', () => {
    expect(corsFor([APP, 'http://[::2]:80']).allowedHostnames).toEqual(['app.example.com', '[::2]'])
    expect(corsFor(true).allowedHostnames).toEqual([])
    expect(corsFor().allowedHostnames).toEqual([])
  })

  it.each(['*', 'app.example.com', '', 'not an origin'])('refuses to start with the origin %j', (origin) => {
    expect(() => corsFor(origin)).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }))
  })
})

describe('preflight', () => {
  it('answers a preflight only for OPTIONS requests', () => {
    const { preflight } = corsFor(true)
    expect(preflight(asked('http://localhost:1', { method: 'OPTIONS' }))?.status).toBe(204)
    expect(preflight(asked('http://localhost:1', { method: 'POST' }))).toBeUndefined()
    expect(preflight(asked('http://localhost:1'))).toBeUndefined()
  })

  it.each(['authorization', 'content-type', 'mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'])(
    'lets a page send %s',
    (header) => {
      expect(shownTo(APP, APP).get('access-control-allow-headers')?.split(', ')).toContain(header)
    },
  )

  it('lets a page send the headers that repeat parameters', () => {
    const cors = corsFor(APP)
    const request = asked(APP, {
      method: 'OPTIONS',
      headers: {
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,mcp-param-region',
      },
    })
    const response = cors.preflight(request)
    expect(response).toBeDefined()
    if (response === undefined) return
    expect(cors.decorate(request, response).headers.get('access-control-allow-headers')).toContain('mcp-param-region')
  })
})
