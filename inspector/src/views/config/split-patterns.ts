// Splits a list of patterns at its commas.

/** A `/regex/flags` up to a comma or the end. A comma in it, such as in `/a{1,2}/`, belongs to the regex. */
const REGEX = /!?\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\[])+?\/\w*(?=\s*(?:,|$))/
/** Any other text up to a comma. A comma in braces or brackets, such as in `*{a,b}*`, belongs to the glob. */
const GLOB = /(?:\\.|\{(?:[^{}]|\{[^{}]*\})*\}|\[[^\]]*\]|[^,])+/
const PATTERN = new RegExp(`\\s*${REGEX.source}|${GLOB.source}`, 'g')

export function splitPatterns(text: string): readonly string[] {
  return (text.match(PATTERN) ?? []).map((pattern) => pattern.trim()).filter(Boolean)
}
