// Runs `toolcrib eval`: measures each ranker with the queries of a set, and prints a table with one row per ranker.

import { writeFile } from 'node:fs/promises'
import { parse, resolve } from 'node:path'
import { raise } from '../../../core/errors.ts'
import type { Ranker } from '../../../search/ranker.ts'
import { DEFAULT_RANKER, rankers } from '../../../search/rankers/builtins.ts'
import { loadValid } from '../../../setup/load-config.ts'
import { openReadySession } from '../../gateway/session.ts'
import { fileProblem } from '../../output/file-problem.ts'
import { HOW_TO_ADD_SERVERS, unreachedNotes } from '../../output/notes.ts'
import { bar } from '../../output/output.ts'
import { count, number, oneLine, table, wrap } from '../../output/text.ts'
import type { CommonFlags, Work } from '../../output/work.ts'
import {
  type EvaluationSet,
  measureRanker,
  type Percentiles,
  type RankerMeasurement,
  type RunLine,
} from './measure-ranker.ts'
import { ownSet } from './own-set.ts'
import { readSet } from './read-set.ts'

export interface EvalFlags extends CommonFlags {
  readonly tools?: string
  readonly queries?: string
  readonly ranker?: readonly string[]
  readonly run?: string
}

/** The exit code if there are no tools or no queries. */
const NOTHING_TO_MEASURE = 2
/** The exit code if the results are printed, but a file of `--run` could not be written. */
const NOT_WRITTEN = 1

export async function evaluate(work: Work, flags: EvalFlags): Promise<number> {
  const names = [...new Set(flags.ranker ?? [DEFAULT_RANKER])]
  const chosen = names.map((name) => ({ name, ranker: rankerNamed(name) }))
  const set = await openSet(work, flags)
  const tools = set.listings.reduce((sum, { entries }) => sum + entries.length, 0)
  if (set.queries.length === 0 || tools === 0) {
    const what = `There is nothing to measure: ${tools === 0 ? 'no tool is known' : 'there is no query'}.`
    const next = await nextStep(work, flags, tools)
    work.output.show({ origin: set.origin, tools, queries: set.queries.length, rankers: [] }, () =>
      work.output.wrap(`${what} ${work.output.keepConfig(next)}`),
    )
    return NOTHING_TO_MEASURE
  }
  const reports: RankerReport[] = []
  const runFiles: string[] = []
  const unwritten: string[] = []
  for (const { name, ranker } of chosen) {
    const { run: lines, ...report } = await measure(work, name, ranker, set)
    reports.push({ ranker: name, ...report })
    if (flags.run === undefined) continue
    const file = names.length === 1 ? flags.run : withRanker(flags.run, name)
    const problem = await writeRun(file, work.environment.cwd, lines)
    if (problem === undefined) runFiles.push(file)
    else unwritten.push(problem)
  }
  show(work, set, tools, reports, runFiles)
  if (unwritten.length === 0) return 0
  work.output.printError(`${unwritten.join('. ')}.`, 'Pass another file with --run.')
  return NOT_WRITTEN
}

async function nextStep(work: Work, { tools, queries }: EvalFlags, known: number): Promise<string> {
  if (tools !== undefined) return `Write tools into ${oneLine(tools)} and queries into ${oneLine(queries ?? '')}.`
  const { servers } = await loadValid(work)
  if (!servers.some(({ enabled }) => enabled)) return HOW_TO_ADD_SERVERS
  if (known > 0) return 'Pass --tools and --queries: no enabled tool has a description that is long enough for a query.'
  return 'Run `toolcrib doctor` to list the tools of your servers, or pass --tools and --queries.'
}

async function openSet(work: Work, { tools, queries }: EvalFlags): Promise<EvaluationSet> {
  if (tools !== undefined && queries !== undefined) {
    return readSet({ tools, queries }, work.environment.cwd)
  }
  if (tools !== undefined || queries !== undefined) refuse('--tools and --queries go together: give both or neither')
  await using session = await openReadySession(work, { isNeeded: () => true, isPatient: false })
  for (const line of unreachedNotes(session.unreached)) work.output.note(`Left out: ${line}`)
  return ownSet(session, work)
}

function rankerNamed(name: string): Ranker {
  const known = [...rankers.keys()].join(', ')
  return rankers.get(name)?.rank ?? refuse(`There is no ranker '${name}'. The rankers are: ${known}`)
}

async function measure({ output, signal }: Work, name: string, ranker: Ranker, set: EvaluationSet) {
  const progress = output.progress()
  try {
    const onProgress = (done: number, total: number) => progress.show(bar(done, total, name))
    return await measureRanker(ranker, set, { signal, onProgress })
  } finally {
    progress.clear()
  }
}

function show(
  { output }: Work,
  set: EvaluationSet,
  tools: number,
  reports: readonly RankerReport[],
  runFiles: readonly string[],
): void {
  const document = {
    origin: set.origin,
    tools,
    queries: set.queries.length,
    rankers: reports.map(({ ranker, quality, ...rest }) => ({ ranker, ...quality, ...rest })),
    ...(runFiles.length === 0 ? {} : { runs: runFiles }),
  }
  output.show(document, () => {
    if (output.isQuiet) return reports.map(({ ranker, quality }) => `${ranker} ${percent(quality.ndcg10)}`)
    const written = runFiles.length === 0 ? [] : ['', `Written: ${runFiles.join(', ')}`]
    return [...reportLines(set, tools, reports, output.width), ...written]
  })
}

/** With several rankers, each writes its own file: `out.jsonl` becomes `out.bm25f.jsonl`. */
function withRanker(file: string, ranker: string): string {
  const { ext } = parse(file)
  return `${file.slice(0, file.length - ext.length)}.${ranker}${ext}`
}

/** Returns why the file could not be written. Not thrown, because the results must still be printed. */
async function writeRun(file: string, cwd: string, lines: readonly RunLine[]): Promise<string | undefined> {
  try {
    await writeFile(resolve(cwd, file), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return undefined
  } catch (error) {
    return fileProblem(file, error, 'written')
  }
}

function refuse(reason: string): never {
  return raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib eval' })
}

type RankerReport = Omit<RankerMeasurement, 'run'> & { readonly ranker: string }

const ORIGIN_TEXTS: Readonly<Record<EvaluationSet['origin'], string>> = {
  files: 'from the files given',
  audit: 'from the audit log: what was searched for, and the tool that was called next',
  generated: 'made from the first sentences of descriptions, which are left out of the index',
}

function reportLines(
  { origin, queries }: EvaluationSet,
  tools: number,
  reports: readonly RankerReport[],
  width: number,
): readonly string[] {
  return [
    ...wrap(
      `Search over ${count(tools, 'tool')}, ${count(queries.length, 'query', 'queries')} ${ORIGIN_TEXTS[origin]}:`,
      width,
    ),
    '',
    ...table(
      ['ranker', 'R@1', 'R@5', 'R@10', 'nDCG@10', 'MRR', 'ms', 'build', 'tokens'],
      reports.map(({ ranker, quality, buildMs, latencyMs, answerTokens }) => [
        ranker,
        ...[quality.recall1, quality.recall5, quality.recall10, quality.ndcg10, quality.mrr].map(percent),
        bothText(latencyMs, (ms) => ms.toFixed(2)),
        number(Math.round(buildMs)),
        bothText(answerTokens, number),
      ]),
      width,
    ),
    '',
    ...wrap('Milliseconds of a search and tokens of its answer: median, 95th percentile. Build: milliseconds.', width),
  ]
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`
}

/** The median and the 95th percentile. */
function bothText({ p50, p95 }: Percentiles, show: (value: number) => string): string {
  return `${show(p50)}, ${show(p95)}`
}
