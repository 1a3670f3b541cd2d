// The numbers of the ranker: one set for every catalog. How they were found is in docs/search.md.

export type Field = 'server' | 'name' | 'title' | 'summary' | 'description' | 'category' | 'tags' | 'params' | 'details'

export interface FieldTuning {
  readonly weight: number
  /** How much a long text counts against its words: 0 not at all, 1 in full. */
  readonly b: number
  /** The length in words that counts as ordinary. Fixed, so that a tool scores alike whatever else is in the catalog. */
  readonly pivot: number
  /** Whether two words that follow each other are a term as well. */
  readonly hasPairs: boolean
}

export interface Tuning {
  readonly fields: Readonly<Record<Field, FieldTuning>>
  /** How soon more of a word stops to count. */
  readonly k1: number
  /** What neighbours in a query count for as one word, and as a name of several words. */
  readonly joined: number
  /** What neighbours in a query count for where a tool has them as neighbours. */
  readonly pair: number
  readonly same: number
  readonly near: number
  /** What synonyms count for more where the index does not know the word. */
  readonly unknownWord: number
  /** In how many tools a word must be for its synonyms to count half. */
  readonly knownSpread: number
  readonly slip: number
  readonly prefix: number
  readonly asking: number
  readonly scene: number
  /** Between adding up what a tool does for each need (1) and taking the need it is best for (infinity). */
  readonly needNorm: number
  /** How far every need is given the same say: 0 not at all, 1 in full. */
  readonly needBalance: number
  /** What the best tool of a source lends to the others of it, and the number of tools at which that is half. */
  readonly lent: number
  readonly lentSize: number
  /** Words of a query that are looked at, the rarest first. */
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
  slip: 0.6,
  prefix: 0.4,
  asking: 0.4,
  scene: 0.6,
  needNorm: 3,
  needBalance: 0.4,
  lent: 0.4,
  lentSize: 8,
  maxWords: 64,
}
