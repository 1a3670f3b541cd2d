import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../storage/any-text.fixture.ts'
import { compilePattern, type Pattern } from './pattern.ts'

function patternOf(text: string): Pattern {
  const compiled = compilePattern(text)
  if (!compiled.ok) throw new Error(compiled.problem.message)
  return compiled.pattern
}

function problemOf(text: string) {
  const compiled = compilePattern(text)
  return compiled.ok ? undefined : compiled.problem
}

describe('compilePattern', () => {
  it.each([
    ['/github.*issue/i', 'my_GitHub_Issue', true],
    ['/github.*issue/', 'my_GitHub_Issue', false],
    ['/^fs_(read|write)$/', 'fs_read', true],
    ['/^fs_(read|write)$/', 'fs_reader', false],
    ['/\\b(create|update)\\b/', 'create', true],
    ['/\\b(create|update)\\b/', 'create-issue', true],
    ['/\\b(create|update)\\b/', 'create_issue', false],
    ['/^(create|update)_/', 'update_file', true],
    ['/a.c/', 'a\nc', false],
    ['/a.c/s', 'a\nc', true],
    ['/^b/', 'a\nb', false],
    ['/^b/m', 'a\nb', true],
    ['/^.$/u', '😀', true],
    ['/x/g', 'axa', true],
    ['/a\\/b/', 'a/b', true],
    ['/a/b/', 'a/b', true],
    ['/(?<verb>get)_/', 'get_x', true],
    ['/\\u0061/', 'a', true],
  ])('matches %s with %j: %s', (text, name, expected) => {
    expect(patternOf(text).matches(name)).toBe(expected)
  })

  it('marks a pattern with a ! as negated, and matches the text after the !', () => {
    expect(patternOf('!*delete*')).toMatchObject({ text: '!*delete*', negated: true })
    expect(patternOf('!*delete*').matches('delete_all')).toBe(true)
    expect(patternOf('!/^x/i')).toMatchObject({ negated: true, regex: { source: '^x', flags: 'i' } })
    expect(patternOf('\\!x').matches('!x')).toBe(true)
    expect(patternOf('*').negated).toBe(false)
  })

  it.each([
    ['', 'empty', /nothing to match/],
    ['!', 'empty', /nothing to match/],
    ['//', 'empty', /between the slashes/],
    ['!!x', 'double-negation', /one ! is enough/],
    ['x'.repeat(5_000), 'too-long', /1000 characters/],
    ['{a,b', 'bad-glob', /not closed/],
    ['/delete', 'unclosed-regex', /\/regex\/flags/],
    ['/', 'unclosed-regex', /\/regex\/flags/],
    ['/api/*', 'unclosed-regex', /\/regex\/flags/],
    ['/x/q', 'bad-flags', /'q' is not a supported flag/],
    ['/x/y', 'bad-flags', /i, m, s, u or g/],
    ['/x/ii', 'bad-flags', /twice/],
    ['/(delete|remove/', 'bad-regex', /missing closing \)/],
    ['/(?=a)b/', 'bad-regex', /linear time/],
    ['/(?<=a)b/', 'bad-regex', /linear time/],
    ['/(a)\\1/', 'bad-regex', /linear time/],
    ['/(a(?<n>b/', 'bad-regex', /missing closing \): `[^`]*`$/],
    ['!/[/', 'bad-regex', /missing closing ]/],
  ])('returns a message with the reason for an invalid pattern: %s', (text, kind, message) => {
    expect(problemOf(text)).toEqual({ kind, message: expect.stringMatching(message) })
  })

  it('matches in bounded time if a backtracking regex would not end', () => {
    const startedAt = performance.now()
    for (const text of ['/(a+)+$/', '/^(a|a)*$/', '/(x+x+)+y/', '/(.*)*!$/']) {
      expect(patternOf(text).matches(`${'a'.repeat(100_000)}${'x'.repeat(100_000)}?`)).toBe(false)
    }
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })

  it('matches the same names as a JavaScript RegExp', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '_',
      '.',
      '^',
      '$',
      '\\b',
      '\\B',
      '\\w',
      '\\d',
      '[ab]',
      '[^a]',
      '(a|b)',
      'A',
    )
    const repeat = fc.constantFrom('', '', '', '+', '*?', '{1,2}')
    const part = fc.tuple(piece, repeat).map(([one, more]) => (/^(?:\^|\$|\\[bB])$/.test(one) ? one : one + more))
    const source = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
    const name = fc.array(fc.constantFrom(...'aAbB_-1\n'), { maxLength: 8 }).map((list) => list.join(''))
    fc.assert(
      fc.property(source, fc.subarray(['i', 'm', 's', 'u']), name, (regex, flags, of) => {
        const expected = new RegExp(regex, flags.join('')).test(of)
        expect(patternOf(`/${regex}/${flags.join('')}`).matches(of)).toBe(expected)
      }),
      { numRuns: 400 },
    )
  })

  it('never throws when a pattern is compiled or matched', () => {
    const regex = fc.array(fc.constantFrom(...'()[]{}?*+|\\^$.,1abdwpPQEbBxuk<>=!:-_/'), { maxLength: 14 })
    const text = fc.oneof(
      fc.string(),
      regex.map((list) => `/${list.join('')}/`),
    )
    fc.assert(
      fc.property(text, anyText(), (one, name) => {
        const compiled = compilePattern(one)
        if (compiled.ok) expect(typeof compiled.pattern.matches(name)).toBe('boolean')
        else expect(compiled.problem.message).not.toBe('')
      }),
      { numRuns: 400 },
    )
  })
})
