// Short forms of long text.

/** The first sentence on one line, at most `max` characters. */
export function firstSentence(text: string, max = 120): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const sentence = line.split(/\.\s/, 1)[0] ?? ''
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

/** `'a', 'b', 'c' and 4 more`. */
export function quoteList(names: readonly string[], max = 20): string {
  const shown = names
    .slice(0, max)
    .map((name) => `'${name}'`)
    .join(', ')
  return names.length > max ? `${shown} and ${names.length - max} more` : shown
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
