// Finds tools by name: a query that is a name, a name in a sentence, or a mistyped name.

import type { Snapshot } from '../../catalog/tool-set.ts'
import { groupBy } from '../../core/collections.ts'
import type { DescribedTool } from '../../core/tool.ts'
import { isNameOf } from '../ranker.ts'
import { tokenize } from '../tokenize.ts'
import { NearStrings } from './near-strings.ts'
import type { Terms } from './terms.ts'

const MAX_NAME_CHARS = 256
/** How many names are looked up in a sentence, and how much of its text is read. */
const MAX_MENTIONS = 16
const MAX_MENTION_CHARS = 4_000
/** A shorter query is not a mistyped name. From `TWO_EDITS_FROM` characters on, two edits are allowed, else one. */
const MIN_TYPO_CHARS = 5
const TWO_EDITS_FROM = 12

/** The number of lookups before a table is built. One run of the `toolcrib` command rarely needs more lookups. */
const LOOKUPS_WITHOUT_TABLE = 4

// The relevance of a tool by the kind of match. Each edit in a mistyped name lowers it by 0.01.
const EXACT = 1
const MENTIONED = 0.98
const MISTYPED = 0.95

export class Names {
  readonly #snapshot: Snapshot<DescribedTool>
  readonly #terms: Terms
  #byName: ReadonlyMap<string, readonly number[]> | undefined
  #lookups = 0
  #nearNames: NearStrings | undefined

  constructor(snapshot: Snapshot<DescribedTool>, terms: Terms) {
    this.#snapshot = snapshot
    this.#terms = terms
  }

  /** Returns the relevance of the tools that a query names, by position. */
  findNamed(query: string): ReadonlyMap<number, number> {
    const wanted = query.trim()
    const exact = this.#exact(wanted)
    if (exact.size > 0) return new Map([...exact].map((position) => [position, EXACT]))
    const found = new Map<number, number>()
    for (const mention of mentionsIn(query)) for (const position of this.#exact(mention)) found.set(position, MENTIONED)
    if (found.size > 0 || wanted.length < MIN_TYPO_CHARS || wanted.length > MAX_NAME_CHARS || /\s/.test(wanted))
      return found
    // A query such as `list_issue` has several words. It may be a mistyped name even if all its words are known.
    // A single known word is not a mistyped name.
    if (tokenize(wanted).length < 2 && this.#terms.hasAllOf(wanted)) return found
    this.#nearNames ??= new NearStrings(this.#snapshot.tools.keys(), (position) => this.#nameOf(position))
    const maxEdits = wanted.length < TWO_EDITS_FROM ? 1 : 2
    for (const { position, distance } of this.#nearNames.near(wanted.toLowerCase(), maxEdits)) {
      found.set(position, MISTYPED - distance / 100)
    }
    return found
  }

  /** Matches the name, id or listed name, ignoring case. */
  #exact(wanted: string): ReadonlySet<number> {
    if (wanted === '' || wanted.length > MAX_NAME_CHARS) return new Set()
    const folded = wanted.toLowerCase()
    const found = new Set(this.#positionsOf(folded))
    const addQualified = (name: string) => {
      for (const position of this.#positionsOf(name)) {
        const tool = this.#snapshot.tools[position]
        if (tool !== undefined && isNameOf(tool, wanted)) found.add(position)
      }
    }
    const listed = this.#snapshot.find(wanted)
    if (listed !== undefined) addQualified(listed.name.toLowerCase())
    // A listed name or an id contains the name after a separator, which may also occur in a name itself.
    for (const separator of ['__', ':']) {
      for (let at = folded.indexOf(separator); at >= 0; at = folded.indexOf(separator, at + 1)) {
        addQualified(folded.slice(at + separator.length))
      }
    }
    return found
  }

  /** The positions of the tools with this name in lower case. */
  #positionsOf(folded: string): readonly number[] {
    const positions = this.#snapshot.tools.keys()
    this.#lookups++
    if (this.#lookups <= LOOKUPS_WITHOUT_TABLE) return [...positions].filter((one) => this.#nameOf(one) === folded)
    this.#byName ??= groupBy(positions, (position) => this.#nameOf(position))
    return this.#byName.get(folded) ?? []
  }

  #nameOf(position: number): string {
    return this.#snapshot.tools[position]?.name.toLowerCase() ?? ''
  }
}

/** Text in quotes, and text with the form of a name: `create_issue`, `git:push`, `listOrders`. */
function mentionsIn(query: string): string[] {
  const text = query.slice(0, MAX_MENTION_CHARS)
  const quoted = text.matchAll(/[`'"‘“]([^`'"‘“’”\n]{2,64})[`'"’”]/gu)
  // Matches only at the start of a word. Trying every letter of a long word would take quadratic time.
  const written = text.matchAll(
    /(?<![\p{L}\p{N}])(?:[\p{L}\p{N}]+(?:[_:.\-/][\p{L}\p{N}_]+)+|\p{Ll}+\p{Lu}[\p{L}\p{N}]*)/gu,
  )
  const found = new Set([...quoted, ...written].map(([whole, inQuotes = whole]) => inQuotes.trim()))
  return [...found].slice(0, MAX_MENTIONS)
}
