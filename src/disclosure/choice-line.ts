// The log line about the listing that a strategy has chosen.

import type { Choice } from './strategy.ts'

export function choiceLine(strategy: string, { strategy: chosen, reason, tokens }: Choice): string {
  const figures = Object.entries(tokens).map(([name, figure]) => `${name} ${figure}`)
  return `${strategy} lists as ${chosen}: ${reason}${figures.length === 0 ? '' : ` (tokens: ${figures.join(', ')})`}`
}
