// Compares two texts by lines, and shows the differences with some lines of context.

/** The number of unchanged lines that are shown before and after a difference. */
const CONTEXT_LINES = 2
/** With more differing lines, computing the shortest diff takes too long: all lines are shown as removed and added. */
const MAX_LINES = 2_000

/** A line of a diff. The sign `…` marks a place where lines are left out. */
interface DiffLine {
  readonly sign: ' ' | '+' | '-' | '…'
  readonly line: string
}

/** Empty if the texts have the same lines. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const steps = compare(splitLines(before), splitLines(after))
  const isNear = steps.map((_, at) =>
    steps.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).some(({ sign }) => sign !== ' '),
  )
  if (!isNear.includes(true)) return []
  // An ellipsis in place of a single line would save no space.
  const isAlone = (at: number) => isNear[at - 1] !== false && isNear[at + 1] !== false
  return steps.flatMap((step, at): readonly DiffLine[] => {
    if (isNear[at] || isAlone(at)) return [step]
    return isNear[at - 1] !== false ? [{ sign: '…', line: '' }] : []
  })
}

function splitLines(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

function compare(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const same = (lines: readonly string[]): DiffLine[] => lines.map((line) => ({ sign: ' ', line }))
  return [
    ...same(old.slice(0, start)),
    ...compareMiddle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...same(old.slice(old.length - end)),
  ]
}

/** Compares the lines between the equal start and the equal end, by the longest common subsequence. */
function compareMiddle(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  const removed = old.map((line): DiffLine => ({ sign: '-', line }))
  const added = now.map((line): DiffLine => ({ sign: '+', line }))
  if (old.length + now.length > MAX_LINES) return [...removed, ...added]
  // The length of the longest common subsequence of the lines from `i` and from `j` on.
  const common = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0))
  const at = (i: number, j: number) => common[i]?.[j] ?? 0
  for (let i = old.length - 1; i >= 0; i--) {
    const row = common[i] ?? []
    for (let j = now.length - 1; j >= 0; j--) {
      row[j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const steps: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      steps.push({ sign: ' ', line: old[i] ?? '' })
      i++
      j++
    } else if (at(i + 1, j) >= at(i, j + 1)) steps.push(removed[i++] ?? { sign: '-', line: '' })
    else steps.push(added[j++] ?? { sign: '+', line: '' })
  }
  return [...steps, ...removed.slice(i), ...added.slice(j)]
}
