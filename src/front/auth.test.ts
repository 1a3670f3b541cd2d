import { createHash, timingSafeEqual } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type AuthOptions, createAuthenticate } from './auth.ts'

vi.mock('node:crypto', { spy: true })
afterEach(() => {
  vi.clearAllMocks()
})

const ALICE = 'alice-0123456789abcdef'
const BOB = 'bob-0123456789abcdefgh'
const tokens = { alice: ALICE, bob: BOB }

describe('without auth', () => {
  it('lets everyone in as anonymous, whatever they send', async () => {
    const authenticate = createAuthenticate(undefined)
    expect(await authenticate(null)).toBe('anonymous')
    expect(await authenticate('Bearer whatever')).toBe('anonymous')
  })
})

describe('tokens', () => {
  it('gives the principal of a token', async () => {
    const authenticate = createAuthenticate({ tokens })
    expect(await authenticate(`Bearer ${ALICE}`)).toBe('alice')
    expect(await authenticate(`Bearer ${BOB}`)).toBe('bob')
  })

  it.each([
    ['no header', null],
    ['an empty header', ''],
    ['no scheme', ALICE],
    ['another scheme', `Basic ${ALICE}`],
    ['no token', 'Bearer '],
    ['a token cut short', `Bearer ${ALICE.slice(0, -1)}`],
    ['a token with more behind it', `Bearer ${ALICE}x`],
    ['two tokens', `Bearer ${ALICE} ${BOB}`],
    ['two headers joined', `Bearer ${ALICE}, Bearer ${BOB}`],
    ['another case', `Bearer ${ALICE.toUpperCase()}`],
    ['a word before', `x Bearer ${ALICE}`],
    ['a line break', `Bearer ${ALICE}\n`],
    ['the name of a principal', 'Bearer alice'],
    ['the name of what every object has', 'Bearer __proto__'],
  ])('proves nothing with %s', async (_what, header) => {
    expect(await createAuthenticate({ tokens })(header)).toBeUndefined()
  })

  it.each(['bearer', 'BEARER', 'Bearer  '])('takes the scheme as %j: its case and spaces are free', async (scheme) => {
    expect(await createAuthenticate({ tokens })(`${scheme} ${ALICE}`)).toBe('alice')
  })

  it('compares with every token, the same for a hit and a miss, and digests of one length', async () => {
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

  it('keeps digests, not tokens', () => {
    createAuthenticate({ tokens })
    expect(createHash).toHaveBeenCalledTimes(2)
  })

  it.each(['', 'short', 'fifteen-chars-x'])('refuses the token %j at the start', (token) => {
    expect(() => createAuthenticate({ tokens: { alice: token } })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', message: expect.stringContaining('auth.tokens.alice') }),
    )
  })

  it('refuses a token that is not text and does not repeat it', () => {
    const wrong = { tokens: { alice: 1234567890123456 } } as unknown as AuthOptions // as from JavaScript
    expect(() => createAuthenticate(wrong)).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }))
    expect(() => createAuthenticate({ tokens: { alice: 'my-secret' } })).not.toThrow('my-secret')
  })

  it('refuses a token that no header can carry', () => {
    expect(() => createAuthenticate({ tokens: { alice: 'a token with spaces in it' } })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS' }),
    )
  })

  it('lets nobody in where there are none', async () => {
    expect(await createAuthenticate({})(`Bearer ${ALICE}`)).toBeUndefined()
    expect(await createAuthenticate({ tokens: {} })(`Bearer ${ALICE}`)).toBeUndefined()
  })
})

describe('verify', () => {
  it('is asked with the bare token, and only where no token matches', async () => {
    const verify = vi.fn(async (token: string) => (token === 'from-elsewhere' ? 'carol' : undefined))
    const authenticate = createAuthenticate({ tokens, verify })
    expect(await authenticate(`Bearer ${ALICE}`)).toBe('alice')
    expect(verify).not.toHaveBeenCalled()
    expect(await authenticate('Bearer from-elsewhere')).toBe('carol')
    expect(verify).toHaveBeenCalledExactlyOnceWith('from-elsewhere')
  })

  it('is not asked where there is no token', async () => {
    const verify = vi.fn(() => 'carol')
    expect(await createAuthenticate({ verify })(null)).toBeUndefined()
    expect(await createAuthenticate({ verify })('Basic x')).toBeUndefined()
    expect(verify).not.toHaveBeenCalled()
  })

  it('may answer at once', async () => {
    expect(await createAuthenticate({ verify: () => 'carol' })('Bearer x')).toBe('carol')
  })

  it.each([undefined, null, false, '', 0, {}])('lets nobody in when it answers %j', async (answer) => {
    // What a check written in JavaScript gives back: `token === known && 'carol'` is false for a stranger.
    const auth = { verify: async () => answer } as unknown as AuthOptions
    expect(await createAuthenticate(auth)('Bearer x')).toBeUndefined()
  })

  it('lets nobody in when it throws', async () => {
    const verify = () => Promise.reject(new Error('the directory is down'))
    await expect(createAuthenticate({ verify })('Bearer x')).rejects.toThrow('the directory is down')
  })
})
