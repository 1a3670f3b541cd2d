// The parameters of the ranker BM25F, the same for every catalog. docs/search.md describes how they were found.

interface FieldTuning {
  readonly weight: number
  /** How much the length of a text lowers the weight of its words: 0 not at all, 1 fully. */
  readonly b: number
  /** The usual length in words. It is fixed, so that the weight of a word does not depend on other tools. */
  readonly pivot: number
  /** Whether two consecutive words are also a term. */
  readonly hasPairs: boolean
}

export const TUNING = {
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
  } satisfies Readonly<Record<string, FieldTuning>>,
  /** How fast repeated occurrences of a word lose weight. */
  k1: 1.9,
  /** The weight of query words or parts of a word that are joined to one word, and of the synonyms of a phrase. */
  joined: 0.4,
  /** The weight of consecutive query words that are also consecutive in the tool. */
  pair: 0.25,
  /** The weight of a word with the same meaning, and of a word of the same subject, see `words/synonyms.ts`. */
  same: 0.5,
  near: 0.3,
  /** The factor for synonyms if the index does not contain the word. */
  unknownWord: 1.5,
  /** If this many tools have a word, its synonyms have half the weight. */
  knownSpread: 12,
  /** The weight of a term that is one edit away from an unknown word, and of a term that starts with it. */
  typo: 0.6,
  prefix: 0.4,
  /** The weights of `ASKING_STEMS` and `SCENE_STEMS`. */
  asking: 0.4,
  scene: 0.6,
  /** The exponent that combines the scores of all needs (see `splitNeeds`): 1 adds them up, infinity uses only the best need. */
  needNorm: 3,
  /** How equal the weights of all needs are: 0 not at all, 1 fully. */
  needBalance: 0.4,
  /** The share of the best score in a source that is added to its tools, and the number of tools that halves it. */
  lent: 0.4,
  lentSize: 8,
  /** How many words of a query are used: those with the highest possible score. */
  maxWords: 64,
} as const

export type IndexField = keyof typeof TUNING.fields

export const FIELDS = Object.keys(TUNING.fields) as readonly IndexField[] // the keys of the object above
