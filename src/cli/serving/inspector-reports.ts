// The reports of `toolcrib serve --http` for its inspector: the configuration, and the tokens that clients saved.

import type { LoadedConfig } from '../../config/load/load.ts'
import { parseJson } from '../../core/json.ts'
import type { Gateway } from '../../crib/from-config.ts'
import { BRACKET_TOKENS } from '../../disclosure/strategies/listing/tool-cost.ts'
import type { InspectorConfig } from '../../front/inspector/api.ts'
import type { InspectorReports, MeasuredCosts, Saving } from '../../front/inspector/inspector-options.ts'
import type { KnownTools } from '../../rules/rule-findings.ts'
import type { Environment } from '../../setup/environment.ts'
import { createLogTail, olderLines } from '../../storage/log-tail.ts'
import { problemsIn } from '../checks/problems-in.ts'
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
    problems: found.flatMap(({ severity, message, file = '', path: inFile = '' }) => {
      const path = [short(file), inFile].filter(Boolean).join(' ')
      return severity === 'info' ? [] : [{ severity, message, ...(path === '' ? {} : { path }) }]
    }),
  }
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

/** Computes the savings from the usage log. The first request reads the whole log, and later ones only its new lines. */
function createSavings(file: string): NonNullable<InspectorReports['savings']> {
  const tail = createLogTail(file, { lastBytes: MAX_BYTES })
  let records: UsageRecord[] = []
  let hasReadOlder = false
  let reading: Promise<void> = Promise.resolve()

  const add = (lines: readonly string[]) => {
    const newRecords = lines.flatMap((line) => readUsage(parseJson(line)) ?? [])
    if (newRecords.length > 0) records = [...records, ...newRecords].slice(-MAX_RECORDS)
  }
  const read = async () => {
    if (!hasReadOlder) add(await olderLines(file, { lastBytes: MAX_BYTES }))
    hasReadOlder = true
    add(await tail.next())
  }
  return async (since, costs) => {
    // A failed read is reported to its own request only. The next request reads again.
    reading = reading.catch(() => {}).then(read)
    await reading
    return records
      .map((record): Saving => ({ time: Date.parse(record.time), tokens: savingOf(record, costs) }))
      .filter(({ time }) => time >= since)
  }
}

/**
 * Returns the tokens that a record saves. A session saves the full list of its servers, minus the list that its client
 * got. The saving of an answer to a search is negative, because a client needs no search without the gateway.
 */
function savingOf(record: UsageRecord, { listTokens, tokensPerByte }: MeasuredCosts): number {
  const paid = tokensIn(record, record.event === 'answer' ? tokensPerByte.answers : tokensPerByte.lists)
  if (record.event === 'answer') return -paid
  // A log of an older version has no server names.
  const servers = record.servers ?? [...listTokens.keys()]
  return servers.reduce((sum, server) => sum + (listTokens.get(server) ?? 0), BRACKET_TOKENS) - paid
}
