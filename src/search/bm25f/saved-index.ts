// Saves a BM25F index as sections of a file, and loads it without reading the texts of the tools.

import type { Snapshot } from '../../catalog/tool-set.ts'
import type { DescribedTool } from '../../core/tool.ts'
import type { SectionFile, Sections } from '../../storage/section-file.ts'
import type { Index, IndexStorage } from '../ranker.ts'
import { loadThesaurus, serializeThesaurus } from '../words/thesaurus.ts'
import { builtParts, createIndex } from './bm25f.ts'
import { countWhile } from './choose.ts'
import { pairKey, type ReadonlyVocabulary } from './vocabulary.ts'

export const bm25fStorage: IndexStorage = { save: saveIndex, open: openSavedIndex }

function saveIndex(index: Index): Sections | undefined {
  const parts = builtParts(index)
  if (parts === undefined) return undefined
  const { vocabulary, postings, sizes } = parts
  const { words, pairs } = vocabulary.terms
  const sortedPairs = [...pairs].sort(([a], [b]) => a - b)
  const sortedWords = [...words].sort(([a], [b]) => (a < b ? -1 : 1))
  const wordStarts = new Uint32Array(sortedWords.length + 1)
  sortedWords.forEach(([word], at) => {
    wordStarts[at + 1] = (wordStarts[at] ?? 0) + word.length
  })
  return {
    words: Buffer.from(sortedWords.map(([word]) => word).join('')),
    wordStarts: bytesOf(wordStarts),
    wordIds: bytesOf(Uint32Array.from(sortedWords, ([, id]) => id)),
    pairKeys: bytesOf(Float64Array.from(sortedPairs, ([key]) => key)),
    pairIds: bytesOf(Uint32Array.from(sortedPairs, ([, id]) => id)),
    starts: bytesOf(postings.starts),
    tools: bytesOf(postings.tools),
    impacts: bytesOf(postings.impacts),
    sources: bytesOf(postings.sources),
    sizes: bytesOf(Uint32Array.from(sizes)),
    thesaurus: Buffer.from(serializeThesaurus()),
  }
}

function openSavedIndex(file: SavedSections, snapshot: Snapshot<DescribedTool>): Index {
  const numbers = (name: string) => numbersIn(file, name)
  loadThesaurus(Buffer.from(file.section('thesaurus').buffer))
  const postings = {
    total: snapshot.tools.length,
    starts: numbers('starts'),
    tools: numbers('tools'),
    impacts: new Float32Array(file.section('impacts').buffer),
    sources: numbers('sources'),
  }
  return createIndex({ vocabulary: new SavedVocabulary(file), postings, sizes: [...numbers('sizes')] }, snapshot)
}

type SavedSections = Pick<SectionFile, 'section'>

/** The sections contain the numbers in the byte order of this machine. */
function numbersIn(file: SavedSections, name: string): Uint32Array {
  return new Uint32Array(file.section(name).buffer)
}

/** A vocabulary that is read from a file. */
class SavedVocabulary implements ReadonlyVocabulary {
  /** All words in one string, sorted by code units. */
  readonly #words: string
  /** Where each word starts, and the end as the last item. */
  readonly #wordStarts: Uint32Array
  readonly #wordIds: Uint32Array
  /** The keys of the pairs, sorted. */
  readonly #pairKeys: Float64Array
  readonly #pairIds: Uint32Array
  /** All terms by id. Read on first use, because only unknown words and `explain` need them. */
  #terms: readonly (string | number)[] | undefined

  constructor(file: SavedSections) {
    this.#words = Buffer.from(file.section('words').buffer).toString()
    this.#wordStarts = numbersIn(file, 'wordStarts')
    this.#wordIds = numbersIn(file, 'wordIds')
    this.#pairKeys = new Float64Array(file.section('pairKeys').buffer)
    this.#pairIds = numbersIn(file, 'pairIds')
  }

  idOf(word: string): number | undefined {
    const { length } = this.#wordIds
    const at = countWhile(length, (middle) => this.#wordAt(middle) < word)
    return at < length && this.#wordAt(at) === word ? this.#wordIds[at] : undefined
  }

  idOfPair(first: number, second: number): number | undefined {
    const wanted = pairKey(first, second)
    const at = countWhile(this.#pairKeys.length, (middle) => (this.#pairKeys[middle] ?? 0) < wanted)
    return this.#pairKeys[at] === wanted ? this.#pairIds[at] : undefined
  }

  termOf(id: number): string | number | undefined {
    this.#terms ??= this.#readTerms()
    return this.#terms[id]
  }

  #wordAt(at: number): string {
    return this.#words.slice(this.#wordStarts[at], this.#wordStarts[at + 1])
  }

  #readTerms(): (string | number)[] {
    const terms = new Array<string | number>(this.#wordIds.length + this.#pairIds.length)
    this.#wordIds.forEach((id, at) => {
      terms[id] = this.#wordAt(at)
    })
    this.#pairIds.forEach((id, at) => {
      terms[id] = this.#pairKeys[at] ?? 0
    })
    return terms
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
