// Parses a query into needs, and finds the terms of the index for the words of each need.

import type { Reason } from '../ranker.ts'
import { tokenizeWords } from '../tokenize.ts'
import { stem } from '../words/stem.ts'
import { LONGEST_PHRASE, synonymsOf } from '../words/thesaurus.ts'
import { ASKING_STEMS, SCENE_STEMS, STOP_WORDS } from '../words/weak-words.ts'
import type { Terms } from './terms.ts'
import { TUNING } from './tuning.ts'

/** A word of the query, or several words that are read as one, and the terms that match it. */
export interface Concept {
  readonly word: string
  readonly weight: number
  /**
   * The rarity of the word itself. 0 for a guessed combination of words, so that its absence does not lower a score.
   */
  readonly rarity: number
  readonly terms: readonly ConceptTerm[]
}

export interface ConceptTerm {
  readonly id: number
  readonly how: Reason['how']
  /** No match of this term has a higher score. */
  readonly gain: number
}

/** One of the things that a request asks for, see `splitNeeds`. */
export type Need = readonly Concept[]

/** Synonyms with a lower weight are ignored. */
const LEAST_SYNONYM_WEIGHT = 0.02
/**
 * In a need with at most this many words, an unknown word is probably a typo. In a longer need it is more often a name,
 * so a corrected word gets a lower weight. Below `LEAST_TYPO_FACTOR`, words are not corrected.
 */
const FEW_WORDS = 8
const LEAST_TYPO_FACTOR = 0.5
/** Two consecutive words are also looked up as one word if they have at most this many parts together. */
const MAX_JOINED = 4

/**
 * Parses a query. If it has more than `TUNING.maxWords` words and phrases, only those with the highest possible score
 * are used.
 */
export function readQuery(query: string, terms: Terms): Need[] {
  const needs = splitNeeds(query)
    .map((text) => readNeed(text, terms))
    .filter((need) => need.length > 0)
  const worths = needs.flat().map(worthOf)
  if (worths.length <= TUNING.maxWords) return needs
  const least = worths.sort((a, b) => b - a)[TUNING.maxWords - 1] ?? 0
  return needs.map((need) => need.filter((concept) => worthOf(concept) >= least)).filter((need) => need.length > 0)
}

/** The highest score that a concept can add to a tool. */
function worthOf({ terms, weight, rarity }: Concept): number {
  return terms.reduce((most, { gain }) => Math.max(most, gain), weight * rarity)
}

function readNeed(text: string, terms: Terms): Need {
  const concepts = new Map<string, Concept>()
  const words = tokenizeWords(text)
  const typoFactor = Math.min(1, FEW_WORDS / words.length)
  const add = (word: string, weight: number, found: readonly ConceptTerm[], rarity: number) => {
    concepts.set(word, { word, weight, rarity, terms: found.map((term) => ({ ...term, gain: term.gain * weight })) })
  }
  const addWord = (part: string): string | undefined => {
    if (STOP_WORDS.has(part)) return undefined
    const word = stem(part)
    // The word itself replaces an earlier guess.
    if ((concepts.get(word)?.rarity ?? 0) === 0) {
      add(word, weightOf(word), termsFor(word, terms, typoFactor), terms.rarity(terms.idOf(word)))
    }
    return word
  }
  // A guessed combination counts only if the index contains it. Its absence does not lower the score of a tool.
  const addGuess = (word: string, weight: number, found: readonly ConceptTerm[]) => {
    if (found.length > 0 && !concepts.has(word)) add(word, weight, found, 0)
  }
  const addJoined = (parts: readonly string[]) => {
    const word = stem(parts.join(''))
    addGuess(word, TUNING.joined * weightOf(word), ownTerm(terms.idOf(word), terms))
  }
  const wholeWords: string[] = []
  let before: string | undefined
  words.forEach((parts, position) => {
    for (const part of parts) {
      const word = addWord(part)
      if (word === undefined) continue
      if (before !== undefined) addGuess(`${before} ${word}`, TUNING.pair, pairTerm(before, word, terms))
      before = word
    }
    if (parts.length > 1) addJoined(parts)
    const next = words[position + 1]
    if (next !== undefined && parts.length + next.length <= MAX_JOINED) addJoined([...parts, ...next])
    wholeWords.push(stem(parts.join('')))
    for (let length = 2; length <= LONGEST_PHRASE && length <= wholeWords.length; length++) {
      const phrase = wholeWords.slice(-length).join(' ')
      // The phrase has its own key, because the same words may also be a pair.
      addGuess(`${phrase}…`, TUNING.joined, synonymTerms(phrase, terms))
    }
  })
  return [...concepts.values()]
}

function weightOf(word: string): number {
  if (ASKING_STEMS.has(word)) return TUNING.asking
  return SCENE_STEMS.has(word) ? TUNING.scene : 1
}

function termsFor(word: string, terms: Terms, typoFactor: number): readonly ConceptTerm[] {
  const found = [...ownTerm(terms.idOf(word), terms), ...synonymTerms(word, terms)]
  if (found.length > 0 || typoFactor < LEAST_TYPO_FACTOR) return found
  return terms
    .similar(word)
    .map(({ id, weight }) => ({ id, how: 'similar', gain: weight * typoFactor * terms.rarity(id) }))
}

function ownTerm(id: number | undefined, terms: Terms): readonly ConceptTerm[] {
  return id === undefined ? [] : [{ id, how: 'word', gain: terms.rarity(id) }]
}

function pairTerm(first: string, second: string, terms: Terms): readonly ConceptTerm[] {
  const [one, other] = [terms.idOf(first), terms.idOf(second)]
  return one === undefined || other === undefined ? [] : ownTerm(terms.idOfPair(one, other), terms)
}

function synonymTerms(word: string, terms: Terms): readonly ConceptTerm[] {
  const own = terms.idOf(word)
  const rarity = terms.rarity(own)
  // The more tools have the word itself, the less its synonyms count.
  const scale = own === undefined ? TUNING.unknownWord : 1 / (1 + terms.spread(own) / TUNING.knownSpread)
  const found: ConceptTerm[] = []
  for (const { term, kind } of synonymsOf(word)) {
    const weight = scale * (kind === 'same' ? TUNING.same : TUNING.near)
    const id = weight < LEAST_SYNONYM_WEIGHT ? undefined : terms.idOf(term)
    if (id !== undefined) found.push({ id, how: kind, gain: weight * Math.min(rarity, terms.rarity(id)) })
  }
  return found
}

/** Further sentences belong to the last need, because every need costs a pass over the catalog. */
const MAX_NEEDS = 12

/**
 * Separates two needs: the end of a sentence or line, or words such as "and then" and "after that". "And" alone often
 * joins words instead of needs, and a full stop inside a word belongs to the word: `index.html`, `3.5`, `node.js`.
 */
const NEXT_NEED = /(?<=[.?!;])\s+|(?<=[。！？；])|\n|(?:,|\band)\s{1,8}(?:then|also)\b|\bas well as\b|\bafter that\b/iu

/** Splits a request into needs, the things that it asks for. */
export function splitNeeds(request: string): string[] {
  const needs = request.split(NEXT_NEED).map((need) => need.trim())
  const stated = needs.filter((need) => need !== '')
  if (stated.length <= MAX_NEEDS) return stated
  return [...stated.slice(0, MAX_NEEDS - 1), stated.slice(MAX_NEEDS - 1).join(' ')]
}
