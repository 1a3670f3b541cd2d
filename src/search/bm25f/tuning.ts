// The parameters of the ranker BM25F, the same for every catalog. docs/search.md describes how they were found.

export type IndexField =
  | 'server'
  | 'name'
  | 'title'
  | 'summary'
  | 'description'
  | 'category'
  | 'tags'
  | 'params'
  | 'details'

export interface FieldTuning {
  readonly weight: number
  /** How much the length of a text lowers the weight of its words: 0 not at all, 1 fully. */
  readonly b: number
  /** The usual length in words. It is fixed, so that the score of a tool does not depend on other tools. */
  readonly pivot: number
  /** Whether two consecutive words are also a term. */
  readonly hasPairs: boolean
}

export interface Tuning {
  readonly fields: Readonly<Record<IndexField, FieldTuning>>
  /** How fast repeated occurrences of a word lose weight. */
  readonly k1: number
  /** The weight of query words or parts of a word that are joined to one word, and of the synonyms of a phrase. */
  readonly joined: number
  /** The weight of consecutive query words that are also consecutive in the tool. */
  readonly pair: number
  /** The weight of a word with the same meaning, and of a word of the same subject, see `words/thesaurus.ts`. */
  readonly same: number
  readonly near: number
  /** The factor for synonyms if the index does not contain the word. */
  readonly unknownWord: number
  /** The number of tools with a word at which its synonyms count half. */
  readonly knownSpread: number
  /** The weight of a term that is one edit away from an unknown word, and of a term that starts with it. */
  readonly typo: number
  readonly prefix: number
  /** The weights of the words in `words/weak-words.ts`. */
  readonly asking: number
  readonly scene: number
  /** The exponent that combines the scores of all needs: 1 adds them up, infinity uses only the best need. */
  readonly needNorm: number
  /** How equal the weights of all needs are: 0 not at all, 1 fully. */
  readonly needBalance: number
  /**
   * The share of the best score in a source that is added to its tools, and the number of tools at which it is halved.
   */
  readonly lent: number
  readonly lentSize: number
  /** How many words of a query are used: those with the highest possible score. */
  readonly maxWords: number
}

export const TUNING: Tuning = {
  fields: {
    server: { weight: 3.2, b: 0.3, pivot: 2, hasPairs: false },
    name: { weight: 12, b: 0.7, pivot: 3, hasPairs: true },
    title: { weight: 1, b: 0.5, pivot: 3, hasPairs: true },
    summary: { weight: 1.5, b: 0.35, pivot: 10, hasPairs: true },
    description: { weight: 0.6, b: 0.4, pivot: 20, hasPairs: false },
    category: { weight: 0.5, b: 0, pivot: 1, hasPairs: false },
    tags: { weight: 1, b: 0.3, pivot: 3, hasPairs: false },
    params: { weight: 1, b: 0.6, pivot: 4, hasPairs: false },
    details: { weight: 0.8, b: 0.6, pivot: 20, hasPairs: false },
  },
  k1: 1.9,
  joined: 0.4,
  pair: 0.25,
  same: 0.5,
  near: 0.3,
  unknownWord: 1.5,
  knownSpread: 12,
  typo: 0.6,
  prefix: 0.4,
  asking: 0.4,
  scene: 0.6,
  needNorm: 3,
  needBalance: 0.4,
  lent: 0.4,
  lentSize: 8,
  maxWords: 64,
}
