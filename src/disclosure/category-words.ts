// What a category is for, told from the names of its tools: what they do, and to what.

const MAX_WORDS = 5

const VERBS = new Set(
  [
    'add analyze append apply approve archive assign attach browse build calculate cancel check clear click clone close',
    'compare complete connect convert copy count create delete deploy describe detach diff disable download duplicate edit',
    'enable enter estimate evaluate execute exit expand export extract fetch fill filter find generate get grep import',
    'init insert inspect install invite invoke join kill launch list load lock manage merge modify monitor move navigate',
    'notify open parse pause ping play post preview publish pull push put query read rebase refund register reject reload',
    'remove rename render reopen replace reply reset resolve restart restore resume retrieve retry revoke rollback run',
    'save scan search select send set show sort start stop submit subscribe suggest summarize switch sync transfer',
    'transform translate trigger unassign unlink unlock unpublish unsubscribe update upload upsert validate verify wait',
    'watch write',
  ].flatMap((line) => line.split(' ')),
)

/** `create_issue`, `create-issue` and `createIssue` are `create` and `issue`. */
export function segmentsOf(name: string): readonly string[] {
  return name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).filter((segment) => segment !== '')
}

/** `List, create, close: issues, pull requests`, the most frequent first. */
export function composeDescription(names: readonly string[]): string {
  const parts = names.map((name) => {
    const words = segmentsOf(name).map((segment) => segment.toLowerCase())
    // A name says one thing that is done: a second word that could be a verb is what it is done to.
    const verb = words.find((word) => VERBS.has(word))
    return { verb, words: words.filter((word) => word !== verb && /[a-z]/.test(word)) }
  })
  const verbs = mostFrequent(parts.flatMap(({ verb }) => verb ?? []))
  const shared = verbs === '' ? sharedFirst(parts.map(({ words }) => words)) : undefined
  const things = parts.map(({ words }) => (shared === undefined ? words : words.slice(1)).join(' '))
  const said = [shared ?? verbs, mostFrequent(things)].filter((text) => text !== '')
  return capitalize(said.join(': '))
}

/** The first word of all of them, where there is one: it is said once. */
function sharedFirst(names: readonly (readonly string[])[]): string | undefined {
  const [first, ...others] = new Set(names.map(([word]) => word))
  return others.length === 0 ? first : undefined
}

function mostFrequent(words: readonly string[]): string {
  const groups = new Map<string, { readonly word: string; count: number }>()
  for (const word of words.filter((given) => given !== '')) {
    // One of a kind and many of it are one word here.
    const key = word.replace(/s$/, '')
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { word, count: 1 })
    else group.count++
  }
  const sorted = [...groups.values()].sort((a, b) => b.count - a.count)
  const shown = sorted.slice(0, MAX_WORDS).map(({ word }) => word)
  return [...shown, ...(sorted.length > MAX_WORDS ? ['…'] : [])].join(', ')
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
