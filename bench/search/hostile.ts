// Very long and malformed queries, which a program could send.

const KINDS = {
  'one word, repeated': 'order ',
  'one long word': 'x',
  'stop words only': 'what is it that you have ',
  'control characters': '\u0000\u0007\u001b[31m\r',
  'combining marks without letters': '\u0301\u0316',
  'mistyped names': 'creat_isue ',
  'many short sentences': 'Send a mail. ',
  'quotes and names': '"create_issue" ',
  'scripts without spaces': '创建订单',
  'half of a surrogate pair': '\ud800',
}
const CHARACTERS = 100_000

/** Each kind repeated to 100,000 characters, and one query of that length with thousands of different words. */
export const HOSTILE_QUERIES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(KINDS).map(([what, text]) => [
      what,
      text.repeat(Math.ceil(CHARACTERS / text.length)).slice(0, CHARACTERS),
    ]),
  ),
  'thousands of different words': Array.from(
    { length: CHARACTERS / 8 },
    (_, at) => `w${at.toString(36).padStart(6, 'a')}`,
  ).join(' '),
}
