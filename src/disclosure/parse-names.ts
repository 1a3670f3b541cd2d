// Reads one name or several, in the forms that models use.

/** Also accepts a list that was sent as JSON text, because a tool name never looks like that. */
export function parseNames(given: string | readonly string[]): readonly string[] {
  if (typeof given !== 'string') return given
  return parseJsonList(given) ?? [given]
}

/** The names, if the text is a JSON list of strings only. */
export function parseJsonList(text: string): readonly string[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) && parsed.every((name) => typeof name === 'string') ? parsed : undefined
  } catch {
    return undefined
  }
}
