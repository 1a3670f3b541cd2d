// Derives categories from the names of all tools of one server, for tools without a declared category.

import { getOrMake, groupBy } from './collections.ts'
import { isFiller, isVerb, singular, wordsOf } from './names.ts'

/** The category of tools that fit no other category. If there are many categories, the smallest are moved into it. */
export const GENERAL = 'general'

/** Verbs that apply to any thing. They do not form a category. */
const COMMON_VERBS = new Set(
  'add batch bulk change create delete edit fetch get insert list make manage modify patch put read remove replace retrieve set show update upsert use view write'.split(
    ' ',
  ),
)
/** Above this number of categories, small ones join a larger one that shares a word with them, or the general one. */
const MANY_CATEGORIES = 12
/** The smallest categories join the general one only while it holds at most this share of all tools. */
const MAX_GENERAL_SHARE = 0.2
/**
 * A category is split by the second word of its things if it has at least `MIN_LARGE` tools and more than this share of
 * all tools, and if its parts with at least `MIN_PART` tools together contain most of its tools.
 */
const LARGE_SHARE = 0.2
const MIN_LARGE = 20
const MIN_PART = 3
/** The share that counts as most of a category. */
const MOST = 0.8
/** A prefix counts as shared by all names if at least this share of them has it, and if there are many names. */
const NEARLY_ALL = 0.9
const MIN_TOOLS_FOR_NEARLY_ALL = 10
const MAX_LABEL_WORDS = 3

interface NamedTool {
  readonly name: string
  /** The words of the name, without a prefix that all or nearly all tools share. */
  readonly words: readonly string[]
  /** The first word, if it is a verb or the only word. */
  readonly verb: string | undefined
  /** The words from the first one that names a thing. */
  readonly thing: readonly string[]
}

/** Maps each tool name to its category. The same names in any order give the same categories. */
export function categoriesOfNames(names: readonly string[]): ReadonlyMap<string, string> {
  const { prefix, rest } = splitSharedPrefix([...new Set(names)].sort())
  const tools = rest.map(readName)
  const groups = groupBy(tools, ({ thing }) => singular(thing[0] ?? GENERAL))
  joinByOtherWords(groups, (members) => members.length === 1)
  joinByVerb(groups)
  splitLarge(groups, tools.length)
  if (groups.size > MANY_CATEGORIES)
    joinByOtherWords(groups, (members) => members.length <= tools.length / MANY_CATEGORIES)
  gatherSingles(groups)
  gatherSmallest(groups, tools.length * MAX_GENERAL_SHARE)
  // `note_add` and `note_list` are about notes: if nothing else distinguishes the tools, the prefix is their category.
  const isOnlyGeneral = groups.size === 1 && groups.has(GENERAL)
  return new Map(
    [...groups].flatMap(([key, members]) => {
      const label = isOnlyGeneral ? (prefix ?? key) : labelOf(key, members)
      return members.map(({ name }) => [name, label] as const)
    }),
  )
}

type NameAndWords = readonly [name: string, words: readonly string[]]

interface SplitNames {
  /** The last word of the shared prefix. */
  readonly prefix?: string
  readonly rest: readonly NameAndWords[]
}

function splitSharedPrefix(names: readonly string[]): SplitNames {
  let split: SplitNames = { rest: names.map((name) => [name, wordsOf(name)]) }
  for (let next: SplitNames | undefined = split; next !== undefined; next = withoutFirst(split)) split = next
  return split
}

/** Removes a first word that all names, or nearly all of many names, share. Undefined if no such word can be removed. */
function withoutFirst({ rest }: SplitNames): SplitNames | undefined {
  const [shared, count] = mostCommon(rest.flatMap(([, [first, second]]) => (first && second ? [first] : [])))
  if (shared === undefined || rest.length < 2) return undefined
  const isSharedByAll = count === rest.length
  const isSharedByNearlyAll = rest.length >= MIN_TOOLS_FOR_NEARLY_ALL && count >= rest.length * NEARLY_ALL
  const withShared = rest.filter(([, [first]]) => first === shared)
  const withNoun = withShared.filter(([, [, ...others]]) => others.some((word) => !isVerb(word)))
  // A verb that all names share stays if a noun follows it in a name. A word that nearly all names share stays if it is
  // a verb, or if it is the only noun in most of these names.
  const mustStay = isSharedByAll
    ? isVerb(shared) && withNoun.length > 0
    : !isSharedByNearlyAll || isVerb(shared) || withNoun.length * 2 < count
  if (mustStay) return undefined
  return {
    prefix: shared,
    rest: rest.map(([name, words]) => [name, words[0] === shared && words.length > 1 ? words.slice(1) : words]),
  }
}

function readName([name, words]: NameAndWords): NamedTool {
  const [first] = words
  const verb = first !== undefined && words.length > 1 && isVerb(first) ? first : undefined
  let at = verb === undefined ? 0 : 1
  // Skips the words before `file` in `create_or_update_file`, `bulk_delete_file` and `list_my_file`.
  while (at < words.length - 1) {
    const word = words[at] ?? ''
    const isSecondVerb = isVerb(word) && at > 0 && ['or', 'and', 'bulk', 'batch'].includes(words[at - 1] ?? '')
    if (!isSecondVerb && !isFiller(word) && word !== 'or' && word !== 'and') break
    at++
  }
  const thing = words.slice(at)
  return {
    name,
    words,
    verb: verb ?? (words.length === 1 ? first : undefined),
    // `delete_many` names no thing.
    thing: thing.length === 1 && isFiller(thing[0] ?? '') ? [] : thing,
  }
}

type Groups = Map<string, NamedTool[]>

function add(groups: Groups, key: string, ...tools: readonly NamedTool[]): void {
  getOrMake(groups, key, () => []).push(...tools)
}

/** Moves each tool of a small category to the largest category with the name of another word of the tool. */
function joinByOtherWords(groups: Groups, isSmall: (members: readonly NamedTool[]) => boolean): void {
  const small = [...groups].filter(([, members]) => isSmall(members)).sort(([, a], [, b]) => a.length - b.length)
  for (const [key, members] of small) {
    const targets = members.map((tool) => largestNamed(tool, key, groups))
    // Move all tools of a category or none: a partly emptied category would confuse the reader.
    if (targets.some((target) => target === undefined)) continue
    groups.delete(key)
    for (const [index, tool] of members.entries()) add(groups, targets[index] ?? key, tool)
  }
}

function largestNamed({ words }: NamedTool, own: string, groups: Groups): string | undefined {
  const minimum = Math.max(2, (groups.get(own)?.length ?? 0) + 1)
  const [largest] = [...new Set(words.map(singular))]
    .filter((word) => word !== own && (groups.get(word)?.length ?? 0) >= minimum)
    .sort((a, b) => (groups.get(b)?.length ?? 0) - (groups.get(a)?.length ?? 0))
  return largest
}

/** Joins tools that are alone in their category by their verb: `verify_text`, `verify_value`. */
function joinByVerb(groups: Groups): void {
  const singles = [...groups].filter(([, members]) => members.length === 1)
  const byVerb = groupBy(
    singles.flatMap(([, members]) => members.filter(({ verb }) => verb !== undefined && !COMMON_VERBS.has(verb))),
    ({ verb = '' }) => verb,
  )
  for (const [verb, members] of byVerb) {
    const isNamed = (groups.get(verb)?.length ?? 0) > 1
    if (members.length < 2 && !isNamed) continue
    for (const [key, [only]] of singles) if (only !== undefined && members.includes(only)) groups.delete(key)
    add(groups, verb, ...members)
  }
}

/** Splits a large category, such as `google`, into `google_doc`, `google_sheet` and `google_slide`. */
function splitLarge(groups: Groups, total: number): void {
  for (const [key, members] of [...groups]) {
    if (key === GENERAL || members.length < MIN_LARGE || members.length <= total * LARGE_SHARE) continue
    const parts = groupBy(members, ({ thing: [first = '', second = ''] }) =>
      singular(first) === key && second !== '' && !isVerb(second) && !isFiller(second)
        ? `${key} ${singular(second)}`
        : key,
    )
    const large = [...parts].filter(([part, own]) => part !== key && own.length >= MIN_PART)
    const parted = large.reduce((sum, [, own]) => sum + own.length, 0)
    if (large.length < 2 || parted < members.length * MOST) continue
    const rest = members.filter((tool) => !large.some(([, own]) => own.includes(tool)))
    groups.delete(key)
    for (const [part, own] of large) groups.set(part, own)
    if (rest.length > 0) groups.set(key, rest)
  }
}

/** Moves the smallest categories to the general one while it has room: a long list is hard to choose from. */
function gatherSmallest(groups: Groups, maxGeneral: number): void {
  while (groups.size > MANY_CATEGORIES) {
    const others = [...groups].filter(([key]) => key !== GENERAL)
    const fewest = Math.min(...others.map(([, members]) => members.length))
    // Categories of the same size move together, so that the choice does not depend on their names.
    const smallest = others.filter(([, members]) => members.length === fewest)
    const general = [...(groups.get(GENERAL) ?? []), ...smallest.flatMap(([, members]) => members)]
    if (general.length > maxGeneral) return
    for (const [key] of smallest) groups.delete(key)
    groups.set(GENERAL, general)
  }
}

/** Moves the tools that are alone in their category to the general category, if it then has at least two tools. */
function gatherSingles(groups: Groups): void {
  const singles = [...groups].filter(([key, members]) => members.length === 1 && key !== GENERAL)
  if (singles.length + (groups.get(GENERAL)?.length ?? 0) < 2) return
  for (const [key, members] of singles) {
    groups.delete(key)
    add(groups, GENERAL, ...members)
  }
}

/** The first word of the key and the words that follow it in most things of the category: `pull_request`, not `pull`. */
function labelOf(key: string, members: readonly NamedTool[]): string {
  if (key === GENERAL) return key
  const [word = key] = key.split(' ')
  // Ignores tools that joined the category because of another word.
  const things = members.map(({ thing }) => thing).filter(([first = '']) => singular(first) === word)
  const [first] = things
  if (first === undefined) return key
  let length = 1
  let shared = things
  for (; length < MAX_LABEL_WORDS && things.length > 1; length++) {
    const [next] = mostCommon(shared.flatMap((thing) => thing.slice(length, length + 1).map(singular)))
    const continuing = shared.filter((thing) => continuesThing(thing[length]) && singular(thing[length] ?? '') === next)
    if (continuing.length < things.length * MOST) break
    shared = continuing
  }
  const [example = first] = shared
  const label = example.slice(0, length).map((one, at) => {
    const isSameEverywhere = shared.every((thing) => thing[at] === one)
    return isSameEverywhere ? one : singular(one)
  })
  return label.join('_')
}

/** Words such as `request` and `report` may be verbs. After a thing they are usually part of it. */
function continuesThing(word = ''): boolean {
  return word !== '' && !isFiller(word) && !COMMON_VERBS.has(word)
}

function mostCommon(words: readonly string[]): readonly [string | undefined, number] {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const [most] = [...counts].sort(([, a], [, b]) => b - a)
  return most ?? [undefined, 0]
}
