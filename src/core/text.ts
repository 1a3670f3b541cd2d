// Short forms of long text.

/** The first sentence on one line, at most `max` characters. */
export function firstSentence(text: string, max = 120): string {
  // Of a text of any length no more is looked at than could be shown, with room for the spaces that go.
  const start = cutLongText(text.trimStart(), max * 4)
  const line = start.replace(/\s+/g, ' ').trim()
  // The number of a list item ends no sentence.
  const sentence = line.split(/(?<!^\d{1,3})\.\s/, 1)[0] ?? ''
  return cutLongText(sentence, max)
}

export function cutLongText(text: string, max: number): string {
  if (text.length <= max) return text
  if (max < 1) return ''
  const cut = text.slice(0, max - 1)
  const last = cut.charCodeAt(cut.length - 1)
  // Never leave half of a surrogate pair behind.
  return `${last >= 0xd800 && last <= 0xdbff ? cut.slice(0, -1) : cut}…`
}

/** For words that anyone may have written: they neither break the line nor drive the terminal. */
export function onOneLine(text: string): string {
  return cutLongText(text.replace(/\p{Cc}+/gu, ' '), 1_000)
}

/** All of it on one line, or as many whole sentences as fit with the mark that says so, or else words. */
export function cutAtSentence(text: string, max: number): string {
  // Of a text of any length no more is looked at than could be shown.
  const start = text
    .slice(0, max * 4)
    .replace(/\s+/g, ' ')
    .trim()
  if (start.length <= max) return text.length <= max * 4 ? start : cutLongText(`${start}…`, max)
  const cut = cutLongText(start, max).slice(0, -1)
  // A sentence of two words says nothing; then rather half of the next.
  const end = sentenceEnds(start).findLast((at) => at <= cut.length && at >= max / 3)
  const word = cut.lastIndexOf(' ')
  return `${cut.slice(0, end ?? (word >= max / 2 ? word : undefined))}…`
}

/** Not after `e.g.` and the like, nor where a small letter follows. */
function sentenceEnds(line: string): readonly number[] {
  const ends = line.matchAll(/(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|incl))[.!?](?= [^a-z])/g)
  return Array.from(ends, ({ index }) => index + 1)
}

/** `'a', 'b', 'c' and 4 more`. */
export function quoteList(names: readonly string[], max = 20): string {
  const shown = names
    .slice(0, max)
    .map((name) => `'${name}'`)
    .join(', ')
  return names.length > max ? `${shown} and ${names.length - max} more` : shown
}

/** As it is typed in a shell. */
export function shellWord(word: string): string {
  return /^[\w./~:@%+=\\-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** What something thrown says of itself, whatever it is. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name
  try {
    return String(thrown)
  } catch {
    return 'something that cannot be shown'
  }
}

/** The text of a file: UTF-8, or what its byte order mark says. Windows PowerShell writes UTF-16 with such a mark. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  // The decoder leaves the mark out.
  return new TextDecoder(encoding).decode(bytes)
}
