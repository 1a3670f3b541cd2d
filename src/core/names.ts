// The names of commands and tools: their convention, their prefix, and the words in them.

/** The prefix of the server's own tools, unless the server sets another. */
export const DEFAULT_PREFIX = 'afd'

/** Checks the form of a command name such as `todo-create`. By convention, such a name has a thing, then an action. */
export function isKebabCase(name: string): boolean {
  return /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)
}

/** The first word: `todo` for `todo-create`. A name of one word is its own category. */
export function deriveCategory(name: string): string {
  return name.split('-')[0] || 'general'
}

const VERBS = new Set(
  [
    'abort accept activate add aggregate analyse analyze annotate append apply approve archive assign attach authenticate',
    'authorize batch book browse build bulk calculate call cancel capture change check classify clear click clone close',
    'collect compare complete compose compute configure confirm connect convert copy count create debug decline decode',
    'define delete deploy deregister describe destroy detach detect diff disable discard disconnect discover dismiss',
    'download drag draw drop duplicate edit emulate enable encode end enhance enqueue enrich enter estimate evaluate',
    'exec execute exit expand explain explore export extract fetch fill filter find finish fix follow forget fork format',
    'forward gather generate get grant grep group guide handle hide hover identify ignore import increment index ingest',
    'init initialize insert inspect install invite invoke join kill launch leave like link list load lock lookup make',
    'manage map mark measure merge migrate modify monitor move mute navigate notify open optimize orchestrate parse patch',
    'pause perform pin ping play poll post predict press preview print process promote protect publish pull purge push put',
    'query quit read reassign rebase rebuild receive recommend record recover redeploy redo refresh refund refuse register',
    'reinstall reject release reload remove rename render reopen reorder reorganize repair replace reply report request',
    'reset resize resolve restart restore resume retrieve retry return revert review revoke rollback rotate run sample save',
    'scale scan schedule scrape scroll search select send set share show sign simulate snooze sort split star start stop',
    'store stream submit subscribe suggest summarize suspend swap switch sync synchronize tag take terminate test toggle',
    'track train transcribe transfer transform translate trash traverse trigger type unapprove unarchive unassign unblock',
    'undo unfollow uninstall unlike unlink unlock unmark unmerge unmute unpin unprotect unpublish unset unshare unstar',
    'unsubscribe untrash update upgrade upload upsert use validate verify view visit wait watch whitelist write',
  ].flatMap((line) => line.split(' ')),
)

/** Words around a thing that do not name it. */
const FILLERS = new Set(
  'a active all an any available by current default every for from in into many multiple my new of on own recent some the to via with'.split(
    ' ',
  ),
)

/** Splits `create_issue`, `issues.create` and `createIssue`. Keeps the case, except that `OAuth` becomes `Oauth`. */
export function segmentsOf(name: string): readonly string[] {
  return name
    .replace(/OAuth/g, 'Oauth')
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .filter((segment) => segment !== '')
}

/** The segments in lower case, without numbers and version numbers such as `v2`. */
export function wordsOf(name: string): readonly string[] {
  return segmentsOf(name)
    .map((segment) => segment.toLowerCase())
    .filter((word) => !/^v?\d+$/.test(word))
}

export function isVerb(word: string): boolean {
  return VERBS.has(word)
}

export function isFiller(word: string): boolean {
  return FILLERS.has(word)
}

/** Removes the ending of a plural, so that `issues` and `issue` become the same word. */
export function singular(word: string): string {
  if (word.length < 4 || /(ss|us|is|ics|news)$/.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(ses|xes|zes|ches|shes)$/.test(word)) return word.endsWith('ases') ? word.slice(0, -1) : word.slice(0, -2)
  return word.endsWith('s') ? word.slice(0, -1) : word
}
