import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../storage/any-text.fixture.ts'
import { compileGlob } from './glob.ts'

function matches(glob: string, name: string): boolean | undefined {
  return compileGlob(glob)?.(name)
}

describe('compileGlob', () => {
  it.each([
    ['*', 'anything at all', true],
    ['*', '', true],
    ['**', 'a/b', true],
    ['*github*', 'my_github_tool', true],
    ['*github*', 'git_hub', false],
    ['github_*', 'github_', true],
    ['github_*', 'a_github_', false],
    ['*_issue', 'create_issue', true],
    ['*_issue', 'create_issues', false],
    ['create_issue', 'create_issue', true],
    ['create_issue', 'create_issue2', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['*ab*ab', 'ab', false],
    ['*ab*ab', 'abab', true],
  ])('matches %s with %s: %s', (glob, name, expected) => {
    expect(matches(glob, name)).toBe(expected)
  })

  it.each([
    ['*X*', 'text'],
    ['GitHub_*', 'gItHuB_x'],
    ['É*', 'été'],
    ['[A-C]?', 'bZ'],
  ])('ignores case when it matches %s with %s', (glob, name) => {
    expect(matches(glob, name)).toBe(true)
  })

  it.each(['a/b/c', '.hidden', 'a.b-c', '../up', './here', 'a\nb', 'a//b', '-', '😀'])(
    'matches the name %j with globs that contain a star',
    (name) => {
      for (const glob of ['*', '**', '{*,x}', '?*', '*?', '[!_]*'])
        expect([glob, matches(glob, name)]).toEqual([glob, true])
    },
  )

  it.each([
    ['a?c', 'abc', true],
    ['a?c', 'a/c', true],
    ['a?c', 'ac', false],
    ['?', '😀', true],
    ['[ab]_x', 'b_x', true],
    ['[ab]_x', 'c_x', false],
    ['[ab]_x', '[ab]_x', false],
    ['[!ab]_x', 'c_x', true],
    ['[^ab]_x', 'a_x', false],
    ['[a-c]*', 'bcd', true],
    ['{create,update}_*', 'update_issue', true],
    ['{create,update}_*', 'delete_issue', false],
    ['{a,{b,c}}d', 'cd', true],
    ['{*a,b?}', 'b/', true],
  ])('supports ?, classes and braces: %s matches %s: %s', (glob, name, expected) => {
    expect(matches(glob, name)).toBe(expected)
  })

  it.each([
    '{id}',
    'a{2}',
    'a+b',
    '+(a)',
    '@(a)',
    '(a|b)',
    'a|b',
    '(?=a)',
    '"quoted"',
    "'x'",
    '$a^',
    './a',
    '~a',
    'a}b',
    'a]b',
    'a,b',
  ])('treats all other characters literally: %s', (glob) => {
    expect(matches(glob, glob)).toBe(true)
    expect(matches(glob, 'a')).toBe(false)
    expect(matches(glob, 'aab')).toBe(false)
  })

  it.each([
    ['\\*', '*', 'x'],
    ['\\*\\**', '**x', 'xx'],
    ['\\{a,b}', '{a,b}', 'a'],
    ['\\[a]', '[a]', 'a'],
    ['\\d', 'd', '7'],
    ['a\\\\b', 'a\\b', 'ab'],
    ['a\\', 'a\\', 'a'],
    ['a\\\\\\\\', 'a\\\\', 'a\\'],
    ['*\\\\\\\\\\', 'b\\\\\\', 'b\\'],
    ['\\/a', '/a', 'a'],
    ['\\é', 'é', '\\é'],
  ])('treats the character after a backslash literally: %s matches %s and not %s', (glob, name, other) => {
    expect(matches(glob, name)).toBe(true)
    expect(matches(glob, other)).toBe(false)
  })

  it.each(['{', '{a,b', '[z-a]', '{1..3}', '{a..c}', '[[:alpha:]]'])(
    'returns undefined for a glob that is invalid or not supported: %s',
    (glob) => {
      expect(compileGlob(glob)).toBeUndefined()
    },
  )

  const character = fc.constantFrom(...'aAbB_-./:')
  const name = fc.array(character, { maxLength: 12 }).map((list) => list.join(''))
  const wildcard = fc.constantFrom('*', '**', '?', '[ab]')
  const glob = (special: fc.Arbitrary<string>) =>
    fc.array(fc.oneof(character, special), { minLength: 1, maxLength: 8 }).map((list) => list.join(''))

  it('matches the same names as a slow and simple matcher', () => {
    fc.assert(
      fc.property(fc.oneof(glob(fc.constant('*')), glob(wildcard)), name, (text, of) => {
        expect(matches(text, of)).toBe(matchesSlowly(text.toLowerCase(), of.toLowerCase()))
      }),
      { numRuns: 500 },
    )
  })

  it('matches a name with characters outside ASCII in the same way with and without a regular expression', () => {
    const texts = (letters: string, minLength: number) =>
      fc.array(fc.constantFrom(...letters), { minLength, maxLength: 6 }).map((list) => list.join(''))
    fc.assert(
      fc.property(texts('kKsSiI*_', 1), texts('kKsSiI_\u212a\u017f\u0130\u0131ßé😀', 0), (text, of) => {
        expect(matches(text, of)).toBe(matches(`{${text},${text}}`, of))
      }),
      { numRuns: 1_000 },
    )
  })

  it('never throws for any name and any glob that is not empty', () => {
    const tricky = fc.array(fc.constantFrom(...'{}[]()|\\*?!^$+@"\'/.,-az~é\n'), { maxLength: 12 })
    fc.assert(
      fc.property(
        fc.oneof(
          anyText(),
          tricky.map((list) => list.join('')),
        ),
        fc.string(),
        (text, of) => {
          if (text !== '') expect([true, false, undefined]).toContain(matches(text, of))
        },
      ),
      { numRuns: 500 },
    )
  })

  it.each(['*a*a*a*a*a*b', '*a*a*a*a*a*[b]', '{a,aa}*{a,aa}*{a,aa}*{a,aa}*b'])(
    'matches in time that is linear in the length of the name: %s',
    (text) => {
      const startedAt = performance.now()
      expect(matches(text, 'a'.repeat(50_000))).toBe(false)
      expect(performance.now() - startedAt).toBeLessThan(2_000)
    },
  )
})

function matchesSlowly(glob: string, name: string): boolean {
  if (glob === '') return name === ''
  if (glob.startsWith('*'))
    return matchesSlowly(glob.slice(1), name) || (name !== '' && matchesSlowly(glob, name.slice(1)))
  if (name === '') return false
  if (glob.startsWith('[ab]')) return 'ab'.includes(name.charAt(0)) && matchesSlowly(glob.slice(4), name.slice(1))
  return (glob.startsWith('?') || glob.charAt(0) === name.charAt(0)) && matchesSlowly(glob.slice(1), name.slice(1))
}
