import { expect, it } from 'vitest'
import { showHidden } from './server-text.tsx'

it.each(['\u3164', '\u00ad', '\u202e', '\u{e0101}', '\u034f', '\u001b', '\ufe0f', '\u200d'])(
  'a hidden character (%j) at the start of a text is shown by its code point',
  (character) => {
    expect(JSON.stringify(showHidden(`${character}text`))).toMatch(/"U\+[0-9A-F]{4,}"/)
  },
)

it.each(['plain\ttext\n', '❤️', '👨‍👩‍👧', '#️⃣', '葛\ufe00', 'می‌خواهم', 'naïve – “quoted”'])(
  'a text without hidden characters stays as it is: %s',
  (text) => {
    expect(showHidden(text)).toBe(text)
  },
)
