// What a reader is told about a text of which it holds a part.

import { RESULT_META } from '../../core/result.ts'

export interface Place {
  readonly start: number
  readonly end: number
  readonly totalChars: number
  /** Of this part. */
  readonly tokens: number
  /** Absent where the text could not be kept. */
  readonly handle?: string | undefined
  /** The tool that reads on. */
  readonly readTool: string
}

export function cutNotice({ start, end, totalChars, tokens, handle, readTool }: Place): string {
  // The first part shows what a token is worth in this text; counting all of it would take seconds.
  const all = Math.max(tokens, Math.round((totalChars / (end - start)) * tokens))
  const what =
    start === 0
      ? `${inGroups(tokens)} of about ${inGroups(all)} tokens`
      : `characters ${inGroups(start)} to ${inGroups(end)} of ${inGroups(totalChars)}`
  if (handle === undefined) return `[cut: ${what}; the rest is too large to be kept: ask the tool for less at once]`
  return `[cut: ${what}; ${readTool} {"handle": "${handle}", "offset": ${end}} reads on]`
}

/** As `_meta`, for programs. */
export function cutMeta({ end, totalChars, handle }: Omit<Place, 'readTool' | 'start' | 'tokens'>) {
  const next = handle === undefined || end >= totalChars ? {} : { nextOffset: end }
  return { [RESULT_META]: { ...(handle === undefined ? {} : { handle }), ...next, totalChars } }
}

function inGroups(value: number): string {
  return value.toLocaleString('en-US')
}
