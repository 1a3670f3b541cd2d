// Options that every command has, given before its name: `toolcrib --json list` is `toolcrib list --json`.

const SWITCHES = new Set(['--json', '-q', '--quiet', '-v', '--verbose'])

/** Commands with commands of their own: options belong to the inner one. */
const OUTER = new Set(['config'])

/** The same words with the command first. Unchanged where no command follows, or another option comes first. */
export function withCommandFirst(words: readonly string[]): readonly string[] {
  let at = 0
  for (let word = words[at]; word?.startsWith('-') === true; word = words[at]) {
    if (word === '--config' && words[at + 1] !== undefined) at += 2
    else if (SWITCHES.has(word) || word.startsWith('--config=')) at += 1
    else return words
  }
  const options = words.slice(0, at)
  const [command, inner] = words.slice(at)
  if (command === undefined || options.length === 0) return words
  const hasInner = OUTER.has(command) && inner !== undefined && !inner.startsWith('-')
  const end = at + (hasInner ? 2 : 1)
  return [...words.slice(at, end), ...options, ...words.slice(end)]
}
