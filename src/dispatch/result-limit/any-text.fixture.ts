// Random texts of many kinds that a tool can return: prose, JSON, long runs without a break, other scripts.

import fc from 'fast-check'

const words = fc.array(
  fc.constantFrom('the', 'quick', 'Fox', "isn't", '12,345', 'e.g.', 'naïve', 'https://x.org/a?b=1'),
  {
    maxLength: 60,
  },
)
const chinese = fc.array(fc.constantFrom('漢', '字', '仮', '名', '，', '。', 'の', '𠮷'), { maxLength: 400 })

export const anyText = fc
  .array(
    fc.oneof(
      words.map((all) => all.join(' ')),
      words.map((all) => `${all.join(' ')}.\n\n`),
      words.map((all) => all.join('')),
      chinese.map((all) => all.join('')),
      fc.json(),
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.array(fc.constantFrom('😀', '👩‍🚀', 'é', '🇩🇪', '\ud83d'), { maxLength: 40 }).map((all) => all.join('')),
      fc.tuple(fc.constantFrom(' ', '=', 'a', '\n', '\r\n', 'Zz9+'), fc.nat(600)).map(([unit, n]) => unit.repeat(n)),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''))

/** True if `position` is between the two halves of a surrogate pair. */
export function isInsideCharacter(text: string, position: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(position - 1, position + 1))
}
