import { describe, expect, it } from 'vitest'
import { createProxies } from './proxies.ts'

type Given = Parameters<ReturnType<typeof createProxies>['clientOf']>[0]

/** A request from this address with these headers. */
function received(remoteAddress: string, headers: Record<string, string> = {}, socket: object = {}): Given {
  return { headers, socket: { remoteAddress, ...socket } } as Given // only these fields are read
}

describe('clientOf', () => {
  it.each([
    ['is that of the connection if no proxy is trusted', false, '10.0.0.1', '1.1.1.1', '10.0.0.1'],
    ['is the last one of the header if the last proxy is trusted', true, '10.0.0.1', '6.6.6.6, 1.1.1.1', '1.1.1.1'],
    ['is that of the connection if the header is missing', true, '10.0.0.1', '', '10.0.0.1'],
    ['is that of the connection if the header has no address', true, '10.0.0.1', 'unknown', '10.0.0.1'],
    ['is the last one that is not trusted', ['10.0.0.0/8'], '10.0.0.1', '6.6.6.6, 1.1.1.1, 10.9.9.9', '1.1.1.1'],
    ['is that of the connection if its peer is not trusted', ['10.0.0.0/8'], '9.9.9.9', '1.1.1.1', '9.9.9.9'],
    ['is the one after an invalid hop', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1, x, 10.0.0.2', '10.0.0.2'],
    ['is the first one if all are trusted', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['is found if IPv4 is in IPv6 form', ['10.0.0.1'], '::ffff:10.0.0.1', '::ffff:1.1.1.1', '1.1.1.1'],
    ['is found in IPv6 form with a port', true, '::1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['is found in IPv4 form with a port', true, '::1', '1.1.1.1:4711', '1.1.1.1'],
    ['is found behind a trusted range of IPv6', ['fd00::/8'], 'fd00::1', '2001:db8::1', '2001:db8::1'],
  ] as const)('the address of a client %s', (_what, trust, peer, header, client) => {
    const request = received(peer, header === '' ? {} : { 'x-forwarded-for': header })
    expect(createProxies(typeof trust === 'boolean' ? trust : [...trust]).clientOf(request)).toBe(client)
  })
})

describe('the host and the scheme that a proxy names', () => {
  const headers = { 'x-forwarded-host': 'evil.example, tools.example.com', 'x-forwarded-proto': 'HTTPS' }

  it('reads the last value from a trusted proxy, and ignores headers from others', () => {
    const trusted = createProxies(['10.0.0.0/8'])
    expect(trusted.forwardedHostOf(received('10.0.0.1', headers))).toBe('tools.example.com')
    expect(trusted.schemeOf(received('10.0.0.1', headers))).toBe('https')
    for (const [proxies, peer] of [
      [trusted, '9.9.9.9'],
      [createProxies(false), '10.0.0.1'],
    ] as const) {
      expect(proxies.forwardedHostOf(received(peer, headers))).toBeUndefined()
      expect(proxies.schemeOf(received(peer, headers))).toBe('http')
    }
  })

  it('uses the connection if the headers are missing or invalid', () => {
    const { forwardedHostOf, schemeOf } = createProxies(true)
    expect(forwardedHostOf(received('::1'))).toBeUndefined()
    expect(schemeOf(received('::1', {}, { encrypted: true }))).toBe('https')
    expect(schemeOf(received('::1', { 'x-forwarded-proto': 'javascript' }))).toBe('http')
  })
})
