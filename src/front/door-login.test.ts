import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createDoorLogin, type RefusedLogin } from './door-login.ts'

const sender = { address: '192.0.2.7', origin: 'https://tools.example.com' }

describe('createDoorLogin', () => {
  it('reports ten refused logins per second, and how many others it did not report with the next report', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const reports: RefusedLogin[] = []
    const logins = createDoorLogin({ auth: {}, onRefusedLogin: (refused) => void reports.push(refused) }, '/mcp')
    for (let turn = 0; turn < 50; turn++) logins.refuse({ refused: 'unknown-token' }, sender)
    expect(reports).toHaveLength(10)
    expect(reports[0]).toEqual({ reason: 'unknown-token', address: '192.0.2.7', unreported: 0 })
    vi.advanceTimersByTime(1_000)
    logins.refuse({ refused: 'no-token' }, sender)
    expect(reports[10]).toEqual({ reason: 'no-token', address: '192.0.2.7', unreported: 40 })
  })

  it('names the metadata in the challenge only if there is an authorization server', () => {
    const challengeOf = (refused: 'no-token' | 'expired' | 'insufficient-scope', hasServer = true) => {
      const resourceServer = { metadata: () => (hasServer ? {} : undefined) }
      const response = createDoorLogin({ auth: {}, resourceServer }, '/tools/mcp').refuse({ refused }, sender)
      return `${response.status} ${response.headers.get('www-authenticate')}`
    }
    const metadata = 'resource_metadata="https://tools.example.com/.well-known/oauth-protected-resource/tools/mcp"'
    expect(challengeOf('no-token')).toBe(`401 Bearer ${metadata}`)
    expect(challengeOf('expired')).toBe(`401 Bearer error="invalid_token", ${metadata}`)
    expect(challengeOf('insufficient-scope')).toBe(`403 Bearer error="insufficient_scope", ${metadata}`)
    expect(challengeOf('expired', false)).toBe('401 Bearer')
  })

  it('answers 503 and says what to check if a token cannot be checked', async () => {
    const refuse = (refused: 'store-down' | 'keys-unavailable') =>
      createDoorLogin({ auth: {} }, '/mcp').refuse({ refused }, sender)
    for (const [refused, cause, todo] of [
      ['store-down', 'the store with the tokens', 'check the store'],
      ['keys-unavailable', 'the keys of the authorization server', 'check the authorization server'],
    ] as const) {
      const response = refuse(refused)
      expect([response.status, response.headers.has('retry-after')]).toEqual([503, true])
      expect(JSON.parse(await response.text()).error).toMatchObject({
        message: expect.stringContaining(cause),
        data: { code: 'TOKENS_UNAVAILABLE', suggestion: expect.stringContaining(todo) },
      })
    }
  })
})
