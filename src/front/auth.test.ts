import { createHash, timingSafeEqual } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type AuthOptions, createAuthenticate, isRefused } from './auth.ts'

vi.mock('node:crypto', { spy: true })
afterEach(() => {
  vi.clearAllMocks()
})

const ALICE = 'alice-0123456789abcdef'
const BOB = 'bob-0123456789abcdefgh'
const tokens = { alice: ALICE, bob: BOB }

describe('no auth', () => {
  it('accepts every request as anonymous when auth is not configured', async () => {
    const authenticate = createAuthenticate(undefined)
    expect(await authenticate(null)).toEqual({ principal: 'anonymous' })
    expect(await authenticate('Bearer whatever')).toEqual({ principal: 'anonymous' })
  })
})

describe('tokens', () => {
  it('returns the principal of a token', async () => {
    const authenticate = createAuthenticate({ tokens })
    expect(await authenticate(`Bearer ${ALICE}`)).toEqual({ principal: 'alice' })
    expect(await authenticate(`Bearer ${BOB}`)).toEqual({ principal: 'bob' })
  })

  it.each([
    ['no header', null],
    ['an empty header', ''],
    ['no scheme', ALICE],
    ['another scheme', `Basic ${ALICE}`],
    ['no token', 'Bearer '],
    ['a token cut short', `Bearer ${ALICE.slice(0, -1)}`],
    ['a token with an extra character', `Bearer ${ALICE}x`],
    ['two tokens', `Bearer ${ALICE} ${BOB}`],
    ['two headers joined', `Bearer ${ALICE}, Bearer ${BOB}`],
    ['a token in another case', `Bearer ${ALICE.toUpperCase()}`],
    ['a word before the scheme', `x Bearer ${ALICE}`],
    ['a line break after the token', `Bearer ${ALICE}\n`],
    ['the name of a principal', 'Bearer alice'],
    ['the name __proto__', 'Bearer __proto__'],
  ])('refuses a request with %s', async (_what, header) => {
    expect(await createAuthenticate({ tokens })(header)).toHaveProperty('refused')
  })

  it.each(['bearer', 'BEARER', 'Bearer  '])(
    'accepts the scheme %j: its case and the number of spaces do not matter',
    async (scheme) => {
      expect(await createAuthenticate({ tokens })(`${scheme} ${ALICE}`)).toEqual({ principal: 'alice' })
    },
  )

  it('compares the token with every known one, for a match and a mismatch, by digests of equal length', async () => {
    const authenticate = createAuthenticate({ tokens: { ...tokens, carol: 'carol-0123456789abcdef' } })
    for (const token of [ALICE, BOB, 'x', 'x'.repeat(10_000)]) {
      vi.mocked(timingSafeEqual).mockClear()
      await authenticate(`Bearer ${token}`)
      expect(vi.mocked(timingSafeEqual).mock.calls.map(([a, b]) => [a.byteLength, b.byteLength])).toEqual([
        [32, 32],
        [32, 32],
        [32, 32],
      ])
    }
  })

  it('computes one digest for each configured token', () => {
    createAuthenticate({ tokens })
    expect(createHash).toHaveBeenCalledTimes(2)
  })

  it.each(['', 'short', 'fifteen-chars-x'])('refuses to start with the configured token %j', (token) => {
    expect(() => createAuthenticate({ tokens: { alice: token } })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', message: expect.stringContaining('auth.tokens.alice') }),
    )
  })

  it('accepts an identity of `verify` with the key `refused` and no value', async () => {
    const login = await createAuthenticate({ verify: async () => ({ principal: 'alice', refused: undefined }) })(
      'Bearer x',
    )
    expect(isRefused(login)).toBe(false)
  })

  it('refuses a token that is not text, and does not repeat a refused token in the error', () => {
    const wrong = { tokens: { alice: 1234567890123456 } } as unknown as AuthOptions // a JavaScript caller can do this
    expect(() => createAuthenticate(wrong)).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }))
    expect(() => createAuthenticate({ tokens: { alice: 'my-secret' } })).not.toThrow('my-secret')
  })

  it('refuses a token that cannot be sent in a header', () => {
    expect(() => createAuthenticate({ tokens: { alice: 'a token with spaces in it' } })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS' }),
    )
  })

  it('refuses every token when none is configured', async () => {
    expect(await createAuthenticate({})(`Bearer ${ALICE}`)).toHaveProperty('refused')
    expect(await createAuthenticate({ tokens: {} })(`Bearer ${ALICE}`)).toHaveProperty('refused')
  })
})

describe('verify', () => {
  it('calls verify with the bare token, and only when no configured token matches', async () => {
    const verify = vi.fn(async (token: string) => (token === 'from-elsewhere' ? 'carol' : undefined))
    const authenticate = createAuthenticate({ tokens, verify })
    expect(await authenticate(`Bearer ${ALICE}`)).toEqual({ principal: 'alice' })
    expect(verify).not.toHaveBeenCalled()
    expect(await authenticate('Bearer from-elsewhere')).toEqual({ principal: 'carol' })
    expect(verify).toHaveBeenCalledExactlyOnceWith('from-elsewhere')
  })

  it('does not call verify without a token', async () => {
    const verify = vi.fn(() => 'carol')
    expect(await createAuthenticate({ verify })(null)).toHaveProperty('refused')
    expect(await createAuthenticate({ verify })('Basic x')).toHaveProperty('refused')
    expect(verify).not.toHaveBeenCalled()
  })

  it('accepts a synchronous verify function', async () => {
    expect(await createAuthenticate({ verify: () => 'carol' })('Bearer x')).toEqual({ principal: 'carol' })
  })

  it.each([undefined, null, false, '', 0, {}])('refuses the request when verify returns %j', async (answer) => {
    // A check in JavaScript can return this: `token === known && 'carol'` is false for an unknown token.
    const auth = { verify: async () => answer } as unknown as AuthOptions
    expect(await createAuthenticate(auth)('Bearer x')).toHaveProperty('refused')
  })

  it('rejects with the error that verify throws', async () => {
    const verify = () => Promise.reject(new Error('the directory is down'))
    await expect(createAuthenticate({ verify })('Bearer x')).rejects.toThrow('the directory is down')
  })
})
