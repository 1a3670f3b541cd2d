// The English (Porter 2) stemmer. It maps forms of a word to one stem, and does not change other text.

/** The lengths of the words that have a stem. */
const SHORTEST = 3
const LONGEST = 40

/** The exceptions of the published algorithm, and other words that end with `s` without being plurals. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ...readPairs('skis>ski skies>sky dying>die lying>lie tying>tie idly>idl gently>gentl ugly>ugli early>earli'),
  ...readPairs('only>onli singly>singl'),
  ...'sky news howe atlas cosmos bias andes inning outing canning herring earring proceed exceed succeed'
    .concat(' aws dns sms https css ios gas gps js')
    .split(' ')
    .map((word) => [word, word] as const),
])

// The names of the steps and of the regions R1 and R2 are those of the published algorithm.
const STEP_2 = [
  ...readPairs('ational>ate ization>ize fulness>ful ousness>ous iveness>ive tional>tion lessli>less biliti>ble'),
  ...readPairs('entli>ent ation>ate alism>al aliti>al ousli>ous iviti>ive fulli>ful enci>ence anci>ance'),
  ...readPairs('abli>able izer>ize ator>ate alli>al bli>ble ogi>og li>'),
]

const STEP_3 = readPairs('ational>ate tional>tion alize>al icate>ic iciti>ic ative> ical>ic ness> ful>')

const STEP_4 = 'ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic'.split(' ')

/** The cache of stems is bounded, because a query may consist of new words only. */
const MAX_CACHED = 20_000
const cache = new Map<string, string>()

export function stem(word: string): string {
  if (word.length < SHORTEST || word.length > LONGEST) return word
  const before = cache.get(word)
  if (before !== undefined) return before
  const found = stemOf(word)
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(word, found)
  return found
}

function stemOf(word: string): string {
  if (!/^[a-z]+$/.test(word)) return word
  const exception = EXCEPTIONS.get(word)
  if (exception !== undefined) return exception
  // A `y` that is a consonant is written as `Y` until the end.
  let stemmed = word.replace(/^y|(?<=[aeiouy])y/g, 'Y')
  const r1 = startOfR1(stemmed)
  const r2 = startOfRegion(stemmed, r1)
  stemmed = removePlural(stemmed)
  stemmed = removePastAndGerund(stemmed, r1)
  stemmed = stemmed.replace(/(?<=.[^aeiouy])[yY]$/, 'i')
  stemmed = replaceLongSuffix(stemmed, r1)
  stemmed = replaceMiddleSuffix(stemmed, r1, r2)
  stemmed = removeLastSuffix(stemmed, r2)
  return removeFinalLetter(stemmed, r1, r2).toLowerCase()
}

function startOfR1(word: string): number {
  for (const start of ['gener', 'commun', 'arsen']) if (word.startsWith(start)) return start.length
  return startOfRegion(word, 0)
}

/** The start of a region in which suffixes are removed: after the first consonant that follows a vowel. */
function startOfRegion(word: string, from: number): number {
  const found = /[aeiouy][^aeiouy]/.exec(word.slice(from))
  return found === null ? word.length : from + found.index + 2
}

function removePlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2)
  if (word.endsWith('ied') || word.endsWith('ies')) return word.length > 4 ? word.slice(0, -2) : word.slice(0, -1)
  if (word.endsWith('us') || word.endsWith('ss') || !word.endsWith('s')) return word
  return /[aeiouy].+s$/.test(word) ? word.slice(0, -1) : word
}

function removePastAndGerund(word: string, r1: number): string {
  for (const suffix of ['eedly', 'eed']) {
    if (word.endsWith(suffix)) {
      return word.length - suffix.length >= r1 ? `${word.slice(0, -suffix.length)}ee` : word
    }
  }
  for (const suffix of ['ingly', 'edly', 'ing', 'ed']) {
    if (!word.endsWith(suffix)) continue
    const rest = word.slice(0, -suffix.length)
    if (!/[aeiouy]/.test(rest)) return word
    if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`
    if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest)) return rest.slice(0, -1)
    return rest.length <= r1 && endsInShortSyllable(rest) ? `${rest}e` : rest
  }
  return word
}

function endsInShortSyllable(word: string): boolean {
  return /[^aeiouy][aeiouy][^aeiouywxY]$/.test(word) || /^[aeiouy][^aeiouy]$/.test(word)
}

function replaceLongSuffix(word: string, r1: number): string {
  for (const [suffix, replacement] of STEP_2) {
    if (!word.endsWith(suffix)) continue
    const at = word.length - suffix.length
    if (at < r1) return word
    if (suffix === 'ogi' && word.charAt(at - 1) !== 'l') return word
    if (suffix === 'li' && !/[cdeghkmnrt]/.test(word.charAt(at - 1))) return word
    return word.slice(0, at) + replacement
  }
  return word
}

function replaceMiddleSuffix(word: string, r1: number, r2: number): string {
  for (const [suffix, replacement] of STEP_3) {
    if (!word.endsWith(suffix)) continue
    const at = word.length - suffix.length
    return at < (suffix === 'ative' ? r2 : r1) ? word : word.slice(0, at) + replacement
  }
  return word
}

function removeLastSuffix(word: string, r2: number): string {
  for (const suffix of STEP_4) {
    if (!word.endsWith(suffix)) continue
    const at = word.length - suffix.length
    if (at < r2 || (suffix === 'ion' && !/[st]/.test(word.charAt(at - 1)))) return word
    return word.slice(0, at)
  }
  return word
}

function removeFinalLetter(word: string, r1: number, r2: number): string {
  const at = word.length - 1
  if (word.endsWith('e')) {
    return at >= r2 || (at >= r1 && !endsInShortSyllable(word.slice(0, -1))) ? word.slice(0, -1) : word
  }
  return word.endsWith('ll') && at >= r2 ? word.slice(0, -1) : word
}

/** Reads pairs of a text and its replacement, such as `skis>ski`. */
function readPairs(text: string): readonly (readonly [from: string, to: string])[] {
  return text.split(' ').map((pair) => {
    const [from = '', to = ''] = pair.split('>')
    return [from, to]
  })
}
