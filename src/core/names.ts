// What a tool's name says about it.

/** `todo-create` is a todo; a name of one word is its own category. */
export function deriveCategory(name: string): string {
  return name.split('-')[0] || 'general'
}
