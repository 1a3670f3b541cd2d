// Resolves the names and the category of a manage_tools call to tools. Collects an error for each name without a tool.

import { type CommandError, type FailureResult, failure } from '../../../core/result.ts'
import type { Tool } from '../../../core/tool.ts'
import { categoriesOf, findCategory, unknownCategory } from '../../categorize.ts'
import type { View } from '../../view.ts'

interface ToolSelection {
  /** Each tool once, in the order of the catalog. */
  readonly tools: readonly Tool[]
  readonly errors: readonly SelectionError[]
}

export interface SelectionError {
  readonly name: string
  readonly error: CommandError
}

export interface NamedTools {
  readonly names: readonly string[]
  readonly category: string | undefined
}

export function selectTools({ names, category }: NamedTools, view: View): ToolSelection {
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

/** The failure if no name gives a tool: the first error, with all errors in its details if there are several. */
export function refuseAll([first, ...others]: readonly SelectionError[]): FailureResult | undefined {
  if (first === undefined) return undefined
  const { error } = first
  return failure(others.length === 0 ? error : { ...error, details: describeErrors([first, ...others]) })
}

/** The errors of all names for the answer; empty if there are none. */
export function describeErrors(errors: readonly SelectionError[]) {
  if (errors.length === 0) return {}
  return {
    errors: errors.map(({ name, error: { code, message, suggestion } }) => ({ name, code, message, suggestion })),
  }
}
