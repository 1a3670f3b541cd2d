// The notice and the `_meta` that tell a reader that a text was cut and how to read the rest.

import { RESULT_META } from '../../core/result.ts'

interface TextCut {
  readonly start: number
  readonly end: number
  readonly totalChars: number
  /** The number of tokens of this part. */
  readonly tokens: number
  /** Absent if the text could not be kept. */
  readonly handle?: string | undefined
  /** The tool that reads the next part. */
  readonly readTool: string
}

export function cutNotice({ start, end, totalChars, tokens, handle, readTool }: TextCut): string {
  // An estimate from the ratio in this part: counting the whole text would take seconds.
  const all = Math.max(tokens, Math.round((totalChars / (end - start)) * tokens))
  const what =
    start === 0
      ? `${inGroups(tokens)} of about ${inGroups(all)} tokens`
      : `characters ${inGroups(start)} to ${inGroups(end)} of ${inGroups(totalChars)}`
  if (handle === undefined) return `[cut: ${what}; the rest is too large to keep; ask the tool for a smaller part]`
  return `[cut: ${what}; ${readTool} {"handle": "${handle}", "offset": ${end}} reads on]`
}

/** The handle, the next offset and the length of the text as `_meta`, for programs. */
export function cutMeta({ end, totalChars, handle }: Omit<TextCut, 'readTool' | 'start' | 'tokens'>) {
  const next = handle === undefined || end >= totalChars ? {} : { nextOffset: end }
  return { [RESULT_META]: { ...(handle === undefined ? {} : { handle }), ...next, totalChars } }
}

function inGroups(value: number): string {
  return value.toLocaleString('en-US')
}
