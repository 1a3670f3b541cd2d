// toolcrib eval: measures the quality, speed and token cost of searches among the user's tools or the tools in a file.

import type { Command } from 'commander'
import { DEFAULT_RANKER, rankers } from '../../../search/rankers/builtins.ts'
import type { Environment } from '../../../setup/environment.ts'
import { commandOf, run } from '../../output/work.ts'
import type { EvalFlags } from './run-eval.ts'

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
    .action((flags: EvalFlags) =>
      run(environment, flags, async (work) => (await import('./run-eval.ts')).evaluate(work, flags)),
    )
}
