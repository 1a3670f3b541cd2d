// Checks whether a query is exactly the name of a tool.

import type { DescribedTool } from '../core/tool.ts'

/** Compares with the bare name, the listed name and the id, ignoring case. */
export function isNameOf({ name, listedName, id }: DescribedTool, query: string): boolean {
  const wanted = query.trim().toLowerCase()
  return [name, listedName, id].some((one) => one.toLowerCase() === wanted)
}
