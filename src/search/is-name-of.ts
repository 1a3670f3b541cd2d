// Whether a query is nothing but the name of a tool.

import type { Tool } from '../core/tool.ts'

/** Its bare name, its listed name or its id, whatever the case. */
export function isNameOf({ name, listedName, id }: Tool, query: string): boolean {
  const wanted = query.trim().toLowerCase()
  return [name, listedName, id].some((one) => one.toLowerCase() === wanted)
}
