// npm run bench:search: ranking quality against other rankers, and the speed and size of the index. It takes minutes,
// mostly in minisearch. `-- --short` takes one minute: it compares the quality only with the best baseline, and leaves
// out the rewritten queries and the speed.

import { bm25f } from '../src/search/bm25f/bm25f.ts'
import { averageQuality, type Quality } from '../src/search/evaluate.ts'
import { checkFloors, type Floor, type Row, report } from './report.ts'
import { BASELINES, BEST_BASELINE, buildMinisearch, minisearch } from './search/baselines.ts'
import {
  describeMissingData,
  hasData,
  listingsOf,
  loadCatalog,
  loadLargeCatalog,
  loadSet,
  SETS,
  snapshotOf,
} from './search/data.ts'
import { byMistypedName, byName, bySentence } from './search/finding.ts'
import { HOSTILE_QUERIES } from './search/hostile.ts'
import { separate } from './search/nothing-fits.ts'
import { bootstrapGain, formatQuality, judge } from './search/quality.ts'
import { measureIndex, timeOf, timeQueries, timeReindex } from './search/speed.ts'
import { byPairs, VARIANTS } from './search/variants.ts'

const OURS = 'toolcrib'
const IS_SHORT = process.argv.includes('--short')
/** The maximum time of a hostile query. */
const MAX_HOSTILE_MS = 1_000
/** The minimum R@5 and nDCG@10 of each set: the best row in the README of the data. */
const LEAST: Readonly<Record<string, readonly [number, number]>> = {
  toolbench: [69.0, 69.5],
  livemcp: [35.9, 35.1],
  'metatool-single': [64.1, 56.8],
  'metatool-multi': [62.4, 58.4],
}

if (!hasData()) {
  console.error(describeMissingData())
} else {
  await reportQuality()
  await reportFinding()
  await reportNothingFits()
  if (!IS_SHORT) {
    await reportVariants()
    await reportSpeed()
  }
}

async function reportQuality(): Promise<void> {
  const sets = SETS.map((name) => loadSet(name))
  const pooled = new Map<string, Quality[]>()
  const rows: Row[] = []
  const floors: Floor[] = []
  const baselines = BASELINES.filter(({ name }) => !IS_SHORT || name === BEST_BASELINE)
  for (const { name, ranker } of [...baselines, { name: OURS, ranker: bm25f }]) {
    const row: Record<string, string> = { ranker: name }
    const all: Quality[] = []
    for (const set of sets) {
      const found = await judge(ranker, set)
      row[`${set.name} (${set.snapshot.tools.length}, ${set.queries.length})`] = formatQuality(found)
      all.push(...found)
      if (name === OURS) floors.push(...floorsOf(set.name, averageQuality(found)))
    }
    row.pooled = formatQuality(all)
    pooled.set(name, all)
    rows.push(row)
  }
  const { gain, low, high } = bootstrapGain(pooled.get(OURS) ?? [], pooled.get(BEST_BASELINE) ?? [])
  const published = sets.reduce((sum, { name, queries }) => sum + queries.length * (LEAST[name]?.[1] ?? 0), 0)
  const total = sets.reduce((sum, { queries }) => sum + queries.length, 0)
  floors.push({
    what: "points of pooled nDCG@10 over the best row of the data's README",
    value: 100 * averageQuality(pooled.get(OURS) ?? []).ndcg10 - published / total,
    min: 4,
  })
  floors.push({ what: 'points of pooled nDCG@10 over the best baseline', value: gain, min: 4 })
  report('search-quality', 'Percent R@1 / R@5 / nDCG@10 by set (tools, queries)', rows)
  checkFloors(floors)
  console.log(
    `Gain over "${BEST_BASELINE}": ${gain.toFixed(1)} points, 95 % interval ${low.toFixed(1)} to ${high.toFixed(1)}.`,
  )
}

function floorsOf(set: string, { recall5, ndcg10 }: Quality): Floor[] {
  const [leastRecall, leastNdcg] = LEAST[set] ?? [0, 0]
  return [
    { what: `${set} R@5`, value: 100 * recall5, min: leastRecall },
    { what: `${set} nDCG@10`, value: 100 * ndcg10, min: leastNdcg },
  ]
}

async function reportFinding(): Promise<void> {
  const snapshot = snapshotOf(loadCatalog())
  const index = await bm25f(snapshot, new AbortController().signal)
  const names = await byName(index, snapshot)
  const sentences = await bySentence(index, snapshot)
  const typos = await byMistypedName(index, snapshot)
  const percent = ({ found, tried }: { found: number; tried: number }) => Math.round((10_000 * found) / tried) / 100
  report(
    'search-finding',
    `Found on the real catalog (${snapshot.tools.length} tools)`,
    [names, sentences, typos].map((one) => ({ 'found by': one.what, tried: one.tried, 'found, %': percent(one) })),
  )
  checkFloors([
    { what: 'percent by exact name', value: percent(names), min: 100 },
    { what: 'percent by first sentence', value: percent(sentences), min: 98 },
    { what: 'percent by mistyped name', value: percent(typos), min: 95 },
  ])
}

async function reportNothingFits(): Promise<void> {
  const catalog = loadCatalog()
  const rows: Row[] = []
  const sum = { right: 0, rightRefused: 0, foreign: 0, foreignRefused: 0 }
  for (const name of SETS) {
    const found = await separate(loadSet(name), catalog)
    for (const key of ['right', 'rightRefused', 'foreign', 'foreignRefused'] as const) sum[key] += found[key]
    rows.push({
      set: name,
      'right in the top 5': found.right,
      'of these refused, %': Number(((100 * found.rightRefused) / found.right).toFixed(1)),
      'queries to unrelated servers': found.foreign,
      'of these recognised, %': Number(((100 * found.foreignRefused) / found.foreign).toFixed(1)),
    })
  }
  const wrongly = sum.rightRefused / sum.right
  const rightly = sum.foreignRefused / sum.foreign
  report('search-nothing-fits', 'Searches answered with "nothing fits"', rows, [
    { what: 'percent of right answers refused', value: Number((100 * wrongly).toFixed(2)), max: 4 },
  ])
  checkFloors([{ what: 'times likelier for a query that no tool fits', value: rightly / wrongly, min: 5 }])
}

async function reportVariants(): Promise<void> {
  const sets = SETS.map((name) => loadSet(name))
  const rows: Row[] = []
  for (const [what, put] of Object.entries(VARIANTS)) {
    const row: Record<string, string> = { queries: what }
    for (const set of sets) {
      const queries = set.queries.map((query) => ({ ...query, query: put(query.query) }))
      row[set.name] = formatQuality(await judge(bm25f, { ...set, queries }))
    }
    rows.push(row)
  }
  report('search-variants', 'Percent R@1 / R@5 / nDCG@10 of the same queries, rewritten', rows)
  const snapshot = snapshotOf(loadCatalog())
  const index = await bm25f(snapshot, new AbortController().signal)
  const pairs: Row[] = []
  for (const separator of [' and ', ', then ', '. ']) {
    pairs.push({ separator, 'R@5, %': Number((100 * (await byPairs(index, snapshot, separator))).toFixed(1)) })
  }
  report('search-pairs', 'One query for two tools on the real catalog, by the text between the two parts', pairs)
}

async function reportSpeed(): Promise<void> {
  const lines = loadLargeCatalog()
  const snapshot = snapshotOf(lines)
  const { signal } = new AbortController()
  const queries = SETS.flatMap((name) => loadSet(name).queries.map(({ query }) => query))
  const theirBuild = await timeOf(() => buildMinisearch(snapshot), 3)
  const ourBuild = await timeOf(() => bm25f(snapshot, signal), 3)
  const ours = await measureIndex(() => bm25f(snapshot, signal))
  const theirs = await measureIndex(() => minisearch(snapshot, signal))
  const ourTimes = await timeQueries(ours.index, snapshot, queries)
  const theirTimes = await timeQueries(theirs.index, snapshot, queries)
  const tenThousand = snapshotOf(lines.slice(0, 10_000))
  const ofTenThousand = await measureIndex(() => bm25f(tenThousand, signal))
  const hundred = listingsOf(lines)
    .sort((a, b) => b.entries.length - a.entries.length)
    .slice(0, 100)
  const reindex = await timeReindex(bm25f, hundred)
  const round = (value: number, digits = 2) => Number(value.toFixed(digits))
  const row = (ranker: string, times: typeof ourTimes, build: number, bytes: number): Row => ({
    ranker,
    'p50 ms': round(times.p50, 3),
    'p95 ms': round(times.p95, 3),
    'mean ms': round(times.mean, 3),
    'build ms': round(build, 0),
    MB: round(bytes / 2 ** 20, 1),
    'kB per tool': round(bytes / 1024 / snapshot.tools.length),
  })
  report(
    'search-speed',
    `${snapshot.tools.length} tools, ${queries.length} queries, limit 10, one tool in ten hidden`,
    [row(OURS, ourTimes, ourBuild, ours.bytes), row('minisearch defaults', theirTimes, theirBuild, theirs.bytes)],
    [
      { what: 'build time against minisearch', value: round(ourBuild / theirBuild), max: 3 },
      { what: 'MB of an index of 10,000 tools', value: round(ofTenThousand.bytes / 2 ** 20, 1), max: 100 },
    ],
  )
  checkFloors([
    { what: 'times faster than minisearch, p50', value: theirTimes.p50 / ourTimes.p50, min: 10 },
    { what: 'times faster than minisearch, p95', value: theirTimes.p95 / ourTimes.p95, min: 10 },
    {
      what: `times faster to re-index one of 100 sources (${reindex.tools} tools)`,
      value: reindex.full / reindex.one,
      min: 20,
    },
  ])
  const hostile: Row[] = []
  for (const [what, query] of Object.entries(HOSTILE_QUERIES)) {
    const ms = await timeOf(() => ours.index.search(query, { limit: 10 }), 3)
    hostile.push({ query: what, characters: query.length, ms: round(ms, 1) })
  }
  const slowest = Math.max(...hostile.map(({ ms }) => Number(ms)))
  report('search-hostile', `Hostile queries, ${snapshot.tools.length} tools`, hostile, [
    { what: 'ms of the slowest', value: slowest, max: MAX_HOSTILE_MS },
  ])
  if (globalThis.gc === undefined)
    console.log('The memory figure is an estimate. Run node with --expose-gc for an exact one.')
}
