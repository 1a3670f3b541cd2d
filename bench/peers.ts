// npm run bench:peers [-- --short --rounds N]: the same workload in turns through this gateway, a minimal
// proxy and other gateways from npm.

import { parseArgs } from 'node:util'
import { gateways, installPeer, OURS, peers } from './peers/gateways.ts'
import { printTable } from './report.ts'
import { median } from './speed/figures.ts'
import type { Figures } from './speed/group.ts'
import { runRound } from './speed/run-round.ts'

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false }, rounds: { type: 'string' } } })
const { short: isShort } = values
const ROUNDS = Number(values.rounds ?? (isShort ? 1 : 5))

interface Column {
  readonly title: string
  readonly best: 'least' | 'most'
  of(figures: Figures, name: string): number
}

const figure = (figures: Figures, key: string) => figures[key] ?? Number.NaN
const columns: readonly Column[] = [
  {
    title: 'p50 vs direct',
    best: 'least',
    of: (figures, name) => figure(figures, `${name}.1.p50`) / figure(figures, 'direct.1.p50'),
  },
  {
    title: 'req/s at 32 vs direct',
    best: 'most',
    of: (figures, name) => figure(figures, `${name}.32.rps`) / figure(figures, 'direct.32.rps'),
  },
  { title: '256 KB result, ms', best: 'least', of: (figures, name) => figure(figures, `${name}.large`) },
  { title: 'resident, MB', best: 'least', of: (figures, name) => figure(figures, `${name}.resident`) },
  {
    title: '25 cold servers: start to list, ms',
    best: 'least',
    of: (figures, name) => figure(figures, `${name}.coldList`),
  },
  {
    title: '25 cold servers: start to first call, ms',
    best: 'least',
    of: (figures, name) => figure(figures, `${name}.coldCall`),
  },
]

for (const peer of Object.values(peers)) await installPeer(peer)
const rounds: Figures[] = []
for (let round = 1; round <= ROUNDS; round++) {
  process.stderr.write(`round ${round} of ${ROUNDS}\n`)
  rounds.push(runRound('peers/round', isShort ? ['--short'] : []))
}

const figureOf = (column: Column, name: string) => median(rounds.map((figures) => column.of(figures, name)))
const rounded = (value: number) => Number(value.toPrecision(3))
console.log(
  `\nThe same workload through each gateway (median of ${ROUNDS} round${ROUNDS === 1 ? '' : 's'}, over stdio; five servers unless a column says 25)`,
)
printTable(
  gateways.map(({ name }) => ({
    gateway: name,
    ...Object.fromEntries(columns.map((column) => [column.title, rounded(figureOf(column, name))])),
  })),
)
for (const column of columns) {
  const sign = column.best === 'least' ? 1 : -1
  const order = gateways.map(({ name }) => name).sort((a, b) => sign * (figureOf(column, a) - figureOf(column, b)))
  const place = order.indexOf(OURS) + 1
  console.log(`${place === 1 ? 'holds ' : 'BROKEN'}  ${column.title}: toolcrib is number ${place} of ${order.length}`)
  if (place !== 1) process.exitCode = 1
}
