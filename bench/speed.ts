// npm run bench [-- --short --only GROUP --rounds N]: the time of calls and of the start, memory, and how times grow
// with the catalog. The figures are ratios, differences or exponents within one run, compared with bench/budgets.json.

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { printTable } from './report.ts'
import { type Budget, judge, readBudgets, unknownRows } from './speed/budgets.ts'
import { median, spreadOf } from './speed/figures.ts'
import { type BenchGroup, type Figures, figureOf } from './speed/group.ts'
import { groups } from './speed/groups/all.ts'
import { runRound } from './speed/run-round.ts'

const RESULTS = 'bench/results.json'

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, only: { type: 'string' }, rounds: { type: 'string' } },
})
const { short: isShort, only } = values
const chosen = groups.filter(({ name }) => only === undefined || name === only)
if (chosen.length === 0) throw new Error(`--only takes one of: ${groups.map(({ name }) => name).join(', ')}`)
const budgets = readBudgets('bench/budgets.json')
const unknown = unknownRows(
  budgets,
  groups.flatMap(({ rows }) => rows.map(({ id }) => id)),
)
if (unknown.length > 0) throw new Error(`bench/budgets.json has rows that do not exist: ${unknown.join(', ')}`)

function roundsOf({ rounds = { short: 3, full: 5 } }: BenchGroup): number {
  if (values.rounds !== undefined) return Number(values.rounds)
  return isShort ? rounds.short : rounds.full
}

const startedAt = Date.now()
const measured = new Map(chosen.map((group) => [group, [] as Figures[]]))
for (const group of chosen) {
  const rounds = roundsOf(group)
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`${group.name}: round ${round} of ${rounds}\n`)
    measured.get(group)?.push(runRound('speed/round', [group.name, ...(isShort ? ['--short'] : [])]))
  }
}

/** Every figure of every round, by group. */
const rounds = Object.fromEntries([...measured].map(([{ name }, figures]) => [name, figures]))
const results = [...measured].flatMap(([{ rows }, rounds]) =>
  rows.flatMap((row) => {
    if (rounds.length === 0) return []
    const spread = spreadOf(rounds.map((figures) => figureOf(row, figures)))
    const of = (name: string | undefined) =>
      name === undefined ? undefined : median(rounds.map((one) => one[name] ?? Number.NaN))
    const budget = budgets[row.id]
    const verdict = judge(spread, budget, isShort)
    return [
      { ...row, rounds: rounds.length, ...spread, oursMedian: of(row.ours), baseMedian: of(row.base), budget, verdict },
    ]
  }),
)

const boundOf = ({ max, min }: Budget) => (max === undefined ? `>= ${min}` : `<= ${max}`)
const figure = (value: number | undefined) => (value === undefined ? '' : String(Number(value.toPrecision(3))))
console.log(`\nMedian of the rounds' figures, with the least and the greatest${isShort ? ' (short form)' : ''}`)
printTable(
  results.map(({ id, unit, oursMedian, baseMedian, budget, verdict, ...row }) => ({
    row: id,
    ours: `${figure(oursMedian)} ${unit}`,
    base: baseMedian === undefined ? '' : `${figure(baseMedian)} ${unit}`,
    figure: `${figure(row.median)}${row.as === 'ratio' ? 'x' : ''}`,
    spread: `${figure(row.min)}..${figure(row.max)}`,
    must: budget === undefined ? '' : boundOf(budget),
    aim: figure(budget?.aim),
    verdict,
  })),
)
const broken = results.filter(({ verdict }) => verdict === 'BROKEN')
for (const { what, median: is, budget } of broken) {
  console.log(
    `BROKEN  ${what}: ${figure(is)} (${budget?.max === undefined ? `at least ${budget?.min}` : `at most ${budget.max}`})`,
  )
}
const seconds = Math.round((Date.now() - startedAt) / 1_000)
console.log(`${results.length} rows in ${seconds} s; ${broken.length} broken`)
writeFileSync(
  RESULTS,
  `${JSON.stringify({ node: process.version, form: isShort ? 'short' : 'full', seconds, results, rounds }, null, 2)}\n`,
)
if (broken.length > 0) process.exitCode = 1
