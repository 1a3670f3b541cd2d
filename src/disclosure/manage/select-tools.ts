// The tools that a call of manage_tools means, by name and by category, and what is wrong with the rest of what it names.

import type { CommandError, FailureResult } from '../../core/result.ts'
import { failure } from '../../core/result.ts'
import type { Tool } from '../../core/tool.ts'
import { categoriesOf, findCategory, unknownCategory } from '../categorize.ts'
import type { View } from '../view.ts'

export interface Selection {
  /** Each once, in the order of the catalog. */
  readonly tools: readonly Tool[]
  readonly errors: readonly SelectionError[]
}

export interface SelectionError {
  readonly name: string
  readonly error: CommandError
}

export interface Named {
  readonly names: readonly string[]
  readonly category: string | undefined
}

export function selectTools({ names, category }: Named, view: View): Selection {
  const found = new Set<Tool>()
  const errors: SelectionError[] = []
  for (const name of new Set(names)) {
    const refused = view.refusal(name)
    const target = view.lookup(name)
    if (refused !== undefined) errors.push({ name, error: refused.error })
    else if (target.found) found.add(target.tool)
  }
  if (category !== undefined) {
    const categories = categoriesOf(view)
    const members = findCategory(category, categories)
    if (members === undefined) {
      const known = categories.map(({ name }) => name)
      errors.push({ name: category, error: unknownCategory(category, known).error })
    } else for (const tool of members.tools) found.add(tool)
  }
  return { tools: view.visible.tools.filter((tool) => found.has(tool)), errors }
}

/** Where nothing of what was named is there: the first thing that is wrong, and the others beside it. */
export function refuseAll([first, ...others]: readonly SelectionError[]): FailureResult | undefined {
  if (first === undefined) return undefined
  const { error } = first
  return failure(others.length === 0 ? error : { ...error, details: describeErrors([first, ...others]) })
}

/** What is wrong with each name, in what an answer says besides; nothing where nothing is. */
export function describeErrors(errors: readonly SelectionError[]) {
  if (errors.length === 0) return {}
  return {
    errors: errors.map(({ name, error: { code, message, suggestion } }) => ({ name, code, message, suggestion })),
  }
}
