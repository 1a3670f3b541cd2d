// Reports the configuration and the saved tokens to the inspector of `toolcrib serve --http`.

import type { LoadedConfig } from '../../config/load/load.ts'
import { parseJson } from '../../core/json.ts'
import type { Gateway } from '../../crib/from-config.ts'
import { BRACKET_TOKENS } from '../../disclosure/strategies/listing/tool-cost.ts'
import type { InspectorConfig } from '../../front/inspector/api.ts'
import type { InspectorReports, Saving } from '../../front/inspector/inspector-options.ts'
import type { KnownTools } from '../../rules/rule-findings.ts'
import type { Environment } from '../../setup/environment.ts'
import { createLogTail, olderLines } from '../../storage/log-tail.ts'
import { type FoundProblem, problemsIn } from '../checks/problems-in.ts'
import { PROJECT_NOT_USED, SOURCE_NOT_USED } from '../output/config-lines.ts'
import { shortPath } from '../output/text.ts'
import { readUsage, tokensIn, type UsageRecord, usageFile } from '../usage/usage-log.ts'

export function inspectorReports(
  gateway: Pick<Gateway, 'loaded'>,
  { home, stateDir }: Pick<Environment, 'home' | 'stateDir'>,
): InspectorReports {
  return {
    describeConfig: (known) => describeConfig(gateway.loaded, known, (path) => shortPath(path, home)),
    savings: createSavings(usageFile(stateDir)),
  }
}

function describeConfig(
  loaded: LoadedConfig,
  known: KnownTools,
  short: (path: string) => string,
): Pick<InspectorConfig, 'files' | 'sources' | 'problems'> {
  const { origin, project, variables, isValid } = loaded
  const own = origin.kind === 'defaults' ? [] : [origin.file]
  const found = problemsIn(loaded, { env: variables }, isValid ? known : undefined)
  return {
    files: [...own, ...(project?.state === 'used' ? [project.file] : [])].map(short),
    sources: sourcesIn(loaded, short),
    problems: found.flatMap((problem) => {
      const { severity, message } = problem
      const path = locationOf(problem, short)
      return severity === 'info' ? [] : [{ severity, message, ...(path === '' ? {} : { path }) }]
    }),
  }
}

function locationOf({ file = '', path = '' }: FoundProblem, short: (path: string) => string): string {
  return [short(file), path].filter(Boolean).join(' ')
}

function sourcesIn(
  { origin, project, sources, servers }: LoadedConfig,
  short: (path: string) => string,
): InspectorConfig['sources'] {
  const serversIn = (file: string) => servers.filter((server) => server.origin.file === file).map(({ name }) => name)
  const usedFile = (name: string, file: string) => {
    return { name, path: short(file), servers: serversIn(file), isUsed: true }
  }
  const whyNotUsed =
    project === undefined || project.state === 'used' ? {} : { isUsed: false, note: PROJECT_NOT_USED[project.state] }
  return [
    ...(origin.kind === 'defaults' ? [] : [usedFile('config', origin.file)]),
    ...(project === undefined ? [] : [{ ...usedFile('project', project.file), ...whyNotUsed }]),
    ...sources.map(({ type, path, state }) =>
      state === 'used'
        ? usedFile(type, path)
        : { name: type, path: short(path), servers: [], isUsed: false, note: SOURCE_NOT_USED[state] },
    ),
  ]
}

const MAX_RECORDS = 50_000
const MAX_BYTES = 16 * 1_024 * 1_024

/** Computes the tokens that clients saved, from the usage log. Each request reads only lines that are new in the log. */
function createSavings(file: string): NonNullable<InspectorReports['savings']> {
  const tail = createLogTail(file, { lastBytes: MAX_BYTES })
  let records: UsageRecord[] = []
  let hasReadOlder = false
  let reading: Promise<void> = Promise.resolve()

  const read = async () => {
    const older = hasReadOlder ? [] : await olderLines(file, { lastBytes: MAX_BYTES })
    hasReadOlder = true
    const newRecords = [...older, ...(await tail.next())].flatMap((line) => readUsage(parseJson(line)) ?? [])
    if (newRecords.length > 0) records = [...records, ...newRecords].slice(-MAX_RECORDS)
  }
  return async (since, listTokens) => {
    reading = reading.then(read)
    await reading
    return records
      .map((record): Saving => ({ time: Date.parse(record.time), tokens: savedBy(record, listTokens) }))
      .filter(({ time }) => time >= since)
  }
}

/** A session saves the full list of its servers, and pays for the list that it got. An answer to a search only costs. */
function savedBy(record: UsageRecord, listTokens: ReadonlyMap<string, number>): number {
  const paid = tokensIn(record)
  if (record.event === 'answer') return -paid
  // A log of an older version has no server names.
  const servers = record.servers ?? [...listTokens.keys()]
  return servers.reduce((sum, server) => sum + (listTokens.get(server) ?? 0), BRACKET_TOKENS) - paid
}
