import { describe, expect, it } from 'vitest'
import { type CorsOptions, corsFor } from './cors.ts'

const APP = 'https://app.example.com'

function asked(origin: string | null, init: RequestInit = {}): Request {
  const headers = new Headers(init.headers)
  if (origin !== null) headers.set('origin', origin)
  return new Request('http://localhost:3100/mcp', { ...init, headers })
}

/** The Access-Control headers that a page of this origin gets. */
function shownTo(origin: string | null, cors: CorsOptions | undefined): Headers {
  return corsFor(cors).decorate(asked(origin), Response.json({ ok: true })).headers
}

describe('who may read an answer', () => {
  it.each([
    ['nobody by default', undefined, 'http://localhost:5173', null],
    ['nobody where it is false', false, 'http://localhost:5173', null],
    ['pages of this machine where it is true', true, 'http://localhost:5173', 'http://localhost:5173'],
    ['pages of this machine by address', true, 'http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['pages of this machine by IPv6 address', true, 'http://[::1]:8080', 'http://[::1]:8080'],
    ['no page of elsewhere where it is true', true, APP, null],
    ['no page that only sounds local', true, 'http://localhost.evil.example', null],
    ['no page without an origin', true, 'null', null],
    ['the origin that is named', APP, APP, APP],
    ['each origin that is named', ['https://a.example', APP], APP, APP],
    ['no other port of it', APP, `${APP}:8443`, null],
    ['no other scheme of it', APP, 'http://app.example.com', null],
    ['no name below it', APP, 'https://x.app.example.com', null],
    ['not this machine where others are named', APP, 'http://localhost:5173', null],
    ['nobody where none is named', [], 'http://localhost:5173', null],
    ['the origin that is named with a slash behind it', `${APP}/`, APP, APP],
  ] as const)('%s', (_who, cors, origin, allowed) => {
    expect(shownTo(origin, cors).get('access-control-allow-origin')).toBe(allowed)
  })

  it('never allows everyone, and never with credentials', () => {
    for (const cors of [true, APP, [APP]]) {
      const headers = shownTo(APP, cors)
      expect(headers.get('access-control-allow-origin')).not.toBe('*')
      expect(headers.has('access-control-allow-credentials')).toBe(false)
    }
  })

  it('says that the answer differs by origin, beside what it differs by already', () => {
    const response = new Response('{}', { headers: { vary: 'accept' } })
    const { headers } = corsFor(true).decorate(asked('http://localhost:1'), response)
    expect(headers.get('vary')).toBe('accept, origin')
  })

  it('lets the page read the session', () => {
    expect(shownTo(APP, APP).get('access-control-expose-headers')).toContain('mcp-session-id')
  })

  it('keeps status, body and other headers', async () => {
    const given = Response.json({ error: 1 }, { status: 401, headers: { 'www-authenticate': 'Bearer' } })
    const shown = corsFor(true).decorate(asked('http://localhost:1'), given)
    expect(shown.status).toBe(401)
    expect(shown.headers.get('www-authenticate')).toBe('Bearer')
    expect(await shown.json()).toEqual({ error: 1 })
  })

  it('leaves an answer to a request without an origin as it is', () => {
    const given = Response.json({})
    expect(corsFor(true).decorate(asked(null), given)).toBe(given)
  })
})

describe('the origin check', () => {
  it('lets named origins pass by their hostname', () => {
    expect(corsFor([APP, 'http://[::2]:80']).allowedHostnames).toEqual(['app.example.com', '[::2]'])
    expect(corsFor(true).allowedHostnames).toEqual([])
    expect(corsFor().allowedHostnames).toEqual([])
  })

  it.each(['*', 'app.example.com', '', 'not an origin'])(
    'refuses %j as an origin at the start, and says so',
    (origin) => {
      expect(() => corsFor(origin)).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }))
    },
  )
})

describe('preflight', () => {
  it('answers OPTIONS and nothing else', () => {
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

  it('lets a page send the parameters that must come as headers too', () => {
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
