// Formats a change of JSON with very long lines as a change with one line per value.

import { applyEdits } from './files/write-json.ts'

/** Longer lines are hard to read. */
const MAX_LINE = 160
/** Formatting a longer text takes too long. */
const MAX_TEXT = 50_000_000

interface TextChange {
  readonly before: string
  readonly after: string
}

/** `isLaidOut`: the lines differ from those of the file. */
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

/** Lines that only one of the two texts has. */
function differing(before: string, after: string): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const [inOld, inNow] = [new Set(old), new Set(now)]
  return [...old.filter((line) => !inNow.has(line)), ...now.filter((line) => !inOld.has(line))]
}
