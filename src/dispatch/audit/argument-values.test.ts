import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleOf } from './argument-sample.ts'
import { valuesOf } from './argument-values.ts'
import { hostileInputs } from './hostile-input.fixture.ts'

const secret = 'sk-0123456789abcdef'
const redact = (text: string) => text.replaceAll(secret, '***')
const values = (input: unknown) => valuesOf(sampleOf(input).root, redact)

describe('valuesOf', () => {
  it('gives small arguments back unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        expect(JSON.stringify(values(input))).toBe(JSON.stringify(input))
      }),
    )
  })

  it('removes known secrets from values and keys', () => {
    expect(values({ auth: `Bearer ${secret}`, [secret]: [secret] })).toEqual({ auth: 'Bearer ***', '***': ['***'] })
  })

  it('shows no part of a secret for any position at which a long text is cut', () => {
    const around = fc.integer({ min: 3_950, max: 4_050 })
    const filler = fc.constantFrom('x', `${secret} `, 'xy ')
    fc.assert(
      fc.property(around, filler, fc.nat(30_000), (at, fill, rest) => {
        const before = fill.repeat(at).slice(0, at)
        const shown = JSON.stringify(values([`${before}${secret}${'z'.repeat(rest)}`]))
        // A filler that is itself the secret can end with a part of it, because the test cuts it.
        if (fill.startsWith('x')) expect(shown).not.toContain(secret.slice(0, 6))
        expect(shown).not.toContain(secret)
      }),
    )
  })

  it('shows no part of a secret that the sample has cut', () => {
    const input = ['x'.repeat(1_000_000 - 8), secret]
    expect(JSON.stringify(values(input))).not.toContain('sk-')
  })

  it.each(hostileInputs)('gives bounded values for hostile input and never throws: %s', (_, input) => {
    expect((JSON.stringify(values(input)) ?? '').length).toBeLessThan(40_000)
  })
})
