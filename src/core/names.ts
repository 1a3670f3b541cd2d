// What a tool's name says about it.

/** The form in which commands are named: a thing first, then what is done to it. */
export function isKebabCase(name: string): boolean {
  return /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)
}

/** `todo-create` is a todo; a name of one word is its own category. */
export function deriveCategory(name: string): string {
  return name.split('-')[0] || 'general'
}
