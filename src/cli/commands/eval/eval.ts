// toolcrib eval: measures the quality, speed and token cost of searches among the user's tools or the tools in a file.

import { writeFile } from 'node:fs/promises'
import { parse, resolve } from 'node:path'
import type { Command } from 'commander'
import { raise } from '../../../core/errors.ts'
import { messageOf } from '../../../core/text.ts'
import { DEFAULT_RANKER, rankers } from '../../../search/rankers/builtins.ts'
import type { Environment } from '../../../setup/environment.ts'
import { HOW_TO_ADD_SERVERS } from '../../output/no-servers.ts'
import { bar } from '../../output/progress.ts'
import { oneLine, wrap } from '../../output/text.ts'
import { type CommonFlags, commandOf, run, type Work } from '../../output/work.ts'
import type { EvaluationSet, RunLine } from './measure-ranker.ts'
import type { RankerReport } from './report-lines.ts'

interface EvalFlags extends CommonFlags {
  readonly tools?: string
  readonly queries?: string
  readonly ranker?: readonly string[]
  readonly run?: string
}

/** The exit code if there are no tools or no queries. */
const NOTHING_TO_MEASURE = 2

export function createCommand(environment: Environment): Command {
  return commandOf(
    'eval',
    'Measure how well search finds tools: recall, nDCG, MRR, latency and the tokens of its answers.',
    'eval',
    'eval --ranker bm25f --ranker words',
  )
    .option('--tools <file>', 'the tools, as JSON lines {server, name, description, inputSchema}')
    .option(
      '--queries <file>',
      'the queries and their expected tools, as JSON lines {id, query, relevant: [{server, name}]}',
    )
    .option(
      '--ranker <name...>',
      `${[...rankers.keys()].join(', ')}; several are compared (default: ${DEFAULT_RANKER})`,
    )
    .option('--run <file>', 'write the ranking of each query, as JSON lines {id, ranked, ms}')
    .action((flags: EvalFlags) => run(environment, flags, (work) => evaluate(work, flags)))
}

async function evaluate(work: Work, flags: EvalFlags): Promise<number> {
  const names = [...new Set(flags.ranker ?? [DEFAULT_RANKER])]
  const unknown = names.find((name) => !rankers.has(name))
  if (unknown !== undefined)
    refuse(`There is no ranker '${unknown}'. The rankers are: ${[...rankers.keys()].join(', ')}`)
  const set = await openSet(work, flags)
  const tools = set.listings.reduce((sum, { entries }) => sum + entries.length, 0)
  if (set.queries.length === 0 || tools === 0) {
    const what = `There is nothing to measure: ${tools === 0 ? 'no tool is known' : 'there is no query'}.`
    const next = await nextStep(work, flags)
    work.output.show({ origin: set.origin, tools, queries: set.queries.length, rankers: [] }, () =>
      wrap(`${what} ${next}`, work.output.width),
    )
    return NOTHING_TO_MEASURE
  }
  const reports: RankerReport[] = []
  const runFiles: string[] = []
  for (const name of names) {
    const { run: lines, ...report } = await measure(work, name, set)
    reports.push({ ranker: name, ...report })
    if (flags.run === undefined) continue
    const file = names.length === 1 ? flags.run : withRanker(flags.run, name)
    await writeRun(resolve(work.environment.cwd, file), lines)
    runFiles.push(file)
  }
  await show(work, set, tools, reports, runFiles)
  return 0
}

async function nextStep(work: Work, { tools, queries }: EvalFlags): Promise<string> {
  if (tools !== undefined) return `Write tools into ${oneLine(tools)} and queries into ${oneLine(queries ?? '')}.`
  const { loadValid } = await import('../../../setup/load-config.ts')
  const { servers } = await loadValid(work)
  if (!servers.some(({ enabled }) => enabled)) return HOW_TO_ADD_SERVERS
  return 'Run `toolcrib doctor` to list the tools of your servers, or pass --tools and --queries.'
}

async function openSet(work: Work, { tools, queries }: EvalFlags): Promise<EvaluationSet> {
  if (tools !== undefined && queries !== undefined) {
    const { readSet } = await import('./read-set.ts')
    return readSet({ tools, queries }, work.environment.cwd)
  }
  if (tools !== undefined || queries !== undefined) refuse('--tools and --queries go together: give both or neither')
  const { openReadySession } = await import('../../gateway/ready-session.ts')
  const { ownSet } = await import('./own-set.ts')
  await using session = await openReadySession(work, { isNeeded: () => true, isPatient: false })
  if (session.unreached.size > 0) {
    const { unreachedNotes } = await import('../../output/unreached-notes.ts')
    for (const line of unreachedNotes(session.unreached)) work.output.note(`Left out: ${line}`)
  }
  return ownSet(session, work)
}

async function measure({ output, signal }: Work, name: string, set: EvaluationSet) {
  const { measureRanker } = await import('./measure-ranker.ts')
  const ranker = rankers.get(name)?.rank
  if (ranker === undefined) return refuse(`There is no ranker '${name}'`)
  const progress = output.progress()
  try {
    const onProgress = (done: number, total: number) => progress.show(bar(done, total, name))
    return await measureRanker(ranker, set, { signal, onProgress })
  } finally {
    progress.clear()
  }
}

async function show(
  { output }: Work,
  set: EvaluationSet,
  tools: number,
  reports: readonly RankerReport[],
  runFiles: readonly string[],
): Promise<void> {
  const { percent, reportLines } = await import('./report-lines.ts')
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

async function writeRun(file: string, lines: readonly RunLine[]): Promise<void> {
  try {
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  } catch (error) {
    refuse(`${file} cannot be written: ${messageOf(error)}`, 'Pass another file with --run.')
  }
}

function refuse(reason: string, todo?: string): never {
  return raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib eval', todo })
}
