// One name or several, as a model may have written them.

/** Also a list that came as the text of one: no tool is named like that. */
export function namesGiven(given: string | readonly string[]): readonly string[] {
  if (typeof given !== 'string') return given
  return listIn(given) ?? [given]
}

/** The names, where the text is a JSON list of nothing else. */
export function listIn(text: string): readonly string[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) && parsed.every((name) => typeof name === 'string') ? parsed : undefined
  } catch {
    return undefined
  }
}
