// Functions that style text for a terminal, or return it unchanged if colours are off. The caller decides which.

const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
  gray: [90, 39],
} as const

export type Paint = Readonly<Record<keyof typeof STYLES, (text: string) => string>>

export function createPaint(hasColor: boolean): Paint {
  const entries = Object.entries(STYLES).map(([name, [on, off]]) => [name, hasColor ? style(on, off) : same])
  // `entries` has one function per style.
  return Object.fromEntries(entries) as Paint
}

function style(on: number, off: number): (text: string) => string {
  const [open, close] = [`\u001b[${on}m`, `\u001b[${off}m`]
  // The end of a nested style with the same end code also ends the outer style, so the outer style is opened again.
  return (text) => `${open}${text.replaceAll(close, `${close}${open}`)}${close}`
}

function same(text: string): string {
  return text
}
