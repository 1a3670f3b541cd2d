// npm run picture: draws the tokens of eight listings, from the figures that `npm run bench:tokens` wrote.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { describeMissingCatalog } from './catalog-data.ts'

const DATA = 'build/bench/tokens-strategies.json'
const FOLDER = 'docs/images'
const THEMES = {
  light: { text: '#1f2328', quiet: '#59636e', list: '#0969da', task: '#9a6700' },
  dark: { text: '#f0f6fc', quiet: '#9198a1', list: '#4493f8', task: '#d29922' },
} as const
/** The listings in the picture: the name in the table of figures, and the name in the picture. */
const SHOWN: readonly (readonly [string, string])[] = [
  ['individual', 'every tool listed'],
  ['grouped', 'grouped'],
  ['categories stripped', 'categories, stripped'],
  ['capabilities hidden invoke', 'capabilities, hidden'],
  ['categories hidden invoke', 'categories, hidden'],
  ['lazy', 'lazy'],
  ['gateway', 'gateway'],
  ['manage', 'manage'],
]
const WIDTH = 760
const LABELS = 170
const FIGURES = 110
const ROW = 30
const TOP = 76

if (!existsSync(DATA)) {
  console.error(
    `Nothing was drawn, because ${DATA} does not exist. \`npm run bench:tokens\` writes it. ${describeMissingCatalog()}`,
  )
  process.exit(1)
}
const figures = z.object({ rows: z.array(z.record(z.string(), z.union([z.string(), z.number()]))) })
const { rows } = figures.parse(JSON.parse(readFileSync(DATA, 'utf8')))
const bars = SHOWN.map(([strategy, name]) => ({ name, ...costOf(strategy) }))

mkdirSync(FOLDER, { recursive: true })
for (const [theme, colours] of Object.entries(THEMES)) {
  const file = `${FOLDER}/tokens-${theme}.svg`
  writeFileSync(file, draw(colours))
  console.log(`Wrote ${file}.`)
}

interface Cost {
  readonly list: number
  readonly task: number
}

function costOf(strategy: string): Cost {
  const row = rows.find((one) => one.strategy === strategy)
  const [list, task] = ['list', 'task'].map((kind) => {
    const [, value] = Object.entries(row ?? {}).find(([column]) => column.startsWith(`${kind}, median`)) ?? []
    return Number(value)
  })
  if (list === undefined || task === undefined || Number.isNaN(list + task)) {
    throw new Error(`${DATA} has no figures of ${strategy}. Run \`npm run bench:tokens\` with the catalog.`)
  }
  return { list, task }
}

function draw({ text, quiet, list, task }: (typeof THEMES)[keyof typeof THEMES]): string {
  const room = WIDTH - LABELS - FIGURES
  const longest = Math.max(...bars.map((bar) => bar.list + bar.task))
  const widthOf = (tokens: number) => Math.max(1, Math.round((tokens / longest) * room * 10) / 10)
  const height = TOP + bars.length * ROW + 12
  const label = (x: number, y: number, content: string, more = '') =>
    `  <text x="${x}" y="${y}" fill="${text}"${more}>${content}</text>`
  const drawn = bars.flatMap((bar, at) => {
    const y = TOP + at * ROW
    const [first, second] = [widthOf(bar.list), widthOf(bar.task)]
    return [
      label(LABELS - 12, y + 16, bar.name, ' text-anchor="end"'),
      `  <rect x="${LABELS}" y="${y + 3}" width="${first}" height="18" fill="${list}"/>`,
      `  <rect x="${LABELS + first}" y="${y + 3}" width="${second}" height="18" fill="${task}"/>`,
      label(LABELS + first + second + 8, y + 16, (bar.list + bar.task).toLocaleString('en-US')),
    ]
  })
  const sumOf = (wanted: string) => {
    const { list = 0, task = 0 } = bars.find(({ name }) => name === wanted) ?? {}
    return (list + task).toLocaleString('en-US')
  }
  const summary = `Tokens of one large server: ${sumOf('every tool listed')} with every tool listed, ${sumOf('gateway')} behind the gateway.`
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${summary}"`,
    '  font-family="system-ui, -apple-system, Segoe UI, sans-serif" font-size="13">',
    label(
      0,
      18,
      'What an agent pays for the tools of one large server, in tokens',
      ' font-size="16" font-weight="600"',
    ),
    `  <rect x="0" y="34" width="12" height="12" fill="${list}"/>`,
    `  <text x="18" y="45" fill="${quiet}">the list of tools, in every conversation</text>`,
    `  <rect x="290" y="34" width="12" height="12" fill="${task}"/>`,
    `  <text x="308" y="45" fill="${quiet}">a typical task: find, inspect and call one tool</text>`,
    ...drawn,
    '</svg>',
  ].join('\n')}\n`
}
