// Splits a request into needs, the things that it asks for: one per sentence, or separated by words such as "then".

/** Further sentences belong to the last need, because every need costs a pass over the catalog. */
const MAX_NEEDS = 12

const ENDS = new Set('.?!;。！？；')
/** Separates two steps in one sentence. "And" alone often joins words instead of needs. */
const NEXT_STEP = /(?:,|\band)\s{1,8}(?:then|also)\b|\bas well as\b|\bafter that\b/giu

export function splitNeeds(request: string): string[] {
  const query = request.replace(NEXT_STEP, '\n')
  const needs: string[] = []
  let start = 0
  const cut = (end: number) => {
    const need = query.slice(start, end).trim()
    if (need !== '') needs.push(need)
    start = end
  }
  for (let at = 0; at < query.length && needs.length < MAX_NEEDS - 1; at++) {
    const char = query.charAt(at)
    // A full stop inside a word belongs to the word: `index.html`, `3.5`, `node.js`.
    const isEnd = ENDS.has(char) && (char > '\u007f' || isSpace(query.charAt(at + 1)))
    if (isEnd || char === '\n') cut(at + 1)
  }
  cut(query.length)
  return needs
}

function isSpace(char: string): boolean {
  return char === '' || char === ' ' || char === '\n' || char === '\t' || char === '\r'
}
