// The naming convention of commands, the category that a name implies, and the prefix of the server's own tools.

/** The prefix of the server's own tools, unless the server sets another. */
export const DEFAULT_PREFIX = 'afd'

/** Checks the form of a command name such as `todo-create`. By convention it names a thing, then an action. */
export function isKebabCase(name: string): boolean {
  return /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)
}

/** The first word: `todo` for `todo-create`. A name of one word is its own category. */
export function deriveCategory(name: string): string {
  return name.split('-')[0] || 'general'
}
