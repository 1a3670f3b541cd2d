// Takes a request apart into its needs: people ask for one thing per sentence.

/** Beyond these, sentences are read as part of the last: every need costs a pass over the catalog. */
const MAX_NEEDS = 12

const ENDS = new Set('.?!;。！？；')

export function splitNeeds(query: string): string[] {
  const needs: string[] = []
  let start = 0
  const cut = (end: number) => {
    const need = query.slice(start, end).trim()
    if (need !== '') needs.push(need)
    start = end
  }
  for (let at = 0; at < query.length && needs.length < MAX_NEEDS - 1; at++) {
    const char = query.charAt(at)
    // A full stop inside a word is part of it: `index.html`, `3.5`, `node.js`.
    const isEnd = ENDS.has(char) && (char > '\u007f' || isSpace(query.charAt(at + 1)))
    if (isEnd || char === '\n') cut(at + 1)
  }
  cut(query.length)
  return needs
}

function isSpace(char: string): boolean {
  return char === '' || char === ' ' || char === '\n' || char === '\t' || char === '\r'
}
