// Prints the categories of the largest real servers: by the first word of the name, and as Toolcrib derives them.

import { groupBy } from '../src/core/collections.ts'
import { categoriesOfNames } from '../src/core/name-categories.ts'
import { segmentsOf } from '../src/core/names.ts'
import { readCatalog } from './catalog-data.ts'

const SERVERS = 20
const SHOWN = 16

const tools = readCatalog()
if (tools !== undefined) {
  const servers = groupBy(tools, ({ server }) => server)
  const largest = [...servers].sort(([, a], [, b]) => b.length - a.length).slice(0, SERVERS)
  for (const [server, listed] of largest) {
    const names = listed.map(({ name }) => name)
    const derived = categoriesOfNames(names)
    console.log(`${server} (${names.length} tools)`)
    console.log(`  by the first word: ${describe(names, (name) => segmentsOf(name)[0] ?? name)}`)
    console.log(`  by Toolcrib: ${describe(names, (name) => derived.get(name) ?? name)}`)
  }
}

/** Returns a text such as `20 categories, 3 of one tool: issue 14, branch 9, …, … 4 more`. */
function describe(names: readonly string[], categoryOf: (name: string) => string): string {
  const sorted = [...groupBy(names, categoryOf)].sort(([, a], [, b]) => b.length - a.length)
  const singles = sorted.filter(([, { length }]) => length === 1).length
  const shown = sorted.slice(0, SHOWN).map(([category, { length }]) => `${category} ${length}`)
  const rest = sorted.length > SHOWN ? [`… ${sorted.length - SHOWN} more`] : []
  return `${sorted.length} categories, ${singles} of one tool: ${[...shown, ...rest].join(', ')}`
}
