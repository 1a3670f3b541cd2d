// A change to a crowded text of JSON, as one between two texts with a line for each value.

import { applyEdits } from '../../config/write-json.ts'

/** A line of more is read by nobody. */
const MAX_LINE = 160
/** A text of more is shown as it is: laying it out takes longer than anyone waits. */
const MAX_TEXT = 50_000_000

export interface TextChange {
  readonly before: string
  readonly after: string
}

/** `isLaidOut`: the lines are not those of the file. */
export async function readableChange(file: string, change: TextChange): Promise<TextChange & { isLaidOut: boolean }> {
  const { before, after } = change
  const isOneLine = before.trim() !== '' && !before.trim().includes('\n')
  const isCrowded = isOneLine || differing(before, after).some((line) => line.length > MAX_LINE)
  if (!isCrowded || file.endsWith('.toml') || before.length + after.length > MAX_TEXT) {
    return { ...change, isLaidOut: false }
  }
  const { format } = await import('jsonc-parser')
  const laidOut = (text: string) =>
    applyEdits(text, format(text, undefined, { insertSpaces: true, tabSize: 2, eol: '\n' }))
  return { before: laidOut(before), after: laidOut(after), isLaidOut: true }
}

/** Lines that only one of the two has. */
function differing(before: string, after: string): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const [inOld, inNow] = [new Set(old), new Set(now)]
  return [...old.filter((line) => !inNow.has(line)), ...now.filter((line) => !inOld.has(line))]
}
