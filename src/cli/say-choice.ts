// A crib that says, once, what a strategy that chooses has chosen.

import type { Crib } from '../crib/crib.ts'

export function sayChoice(crib: Crib, say: (text: string) => void): Crib {
  let isSaid = false
  return {
    ...crib,
    async list(request) {
      const listed = await crib.list(request)
      const choice = crib.explain()
      if (choice === undefined || isSaid) return listed
      isSaid = true
      const figures = Object.entries(choice.tokens).map(([name, tokens]) => `${name} ${tokens}`)
      say(`${crib.strategy} lists as ${choice.strategy}: ${choice.reason} (tokens: ${figures.join(', ')})`)
      return listed
    },
  }
}
