// Reports the configuration and the number of tokens saved to the inspector of `toolcrib serve --http`.

import type { LoadedConfig } from '../../../config/load/load.ts'
import type { Gateway } from '../../../crib/from-config.ts'
import type { InspectorConfig } from '../../../front/inspector/api.ts'
import type { InspectorReports } from '../../../front/inspector/inspector-options.ts'
import type { KnownTools } from '../../../rules/rule-findings.ts'
import type { Environment } from '../../../setup/environment.ts'
import { type FoundProblem, problemsIn } from '../../checks/problems-in.ts'
import { PROJECT_NOT_USED, SOURCE_NOT_USED } from '../../output/source-lines.ts'
import { shortPath } from '../../output/text.ts'
import { usageFile } from '../../usage/usage-log.ts'
import { createSavings } from './token-savings.ts'

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
      const place = placeOf(problem, short)
      return severity === 'info' ? [] : [{ severity, message, ...(place === '' ? {} : { path: place }) }]
    }),
  }
}

function placeOf({ file = '', path = '' }: FoundProblem, short: (path: string) => string): string {
  return [...(file === '' ? [] : [short(file)]), path].filter((text) => text !== '').join(' ')
}

function sourcesIn(
  { origin, project, sources, servers }: LoadedConfig,
  short: (path: string) => string,
): InspectorConfig['sources'] {
  const serversIn = (file: string) => servers.filter((server) => server.origin.file === file).map(({ name }) => name)
  const own =
    origin.kind === 'defaults'
      ? []
      : [{ name: 'config', path: short(origin.file), servers: serversIn(origin.file), isUsed: true }]
  const ofProject =
    project === undefined
      ? []
      : [
          {
            name: 'project',
            path: short(project.file),
            servers: serversIn(project.file),
            isUsed: project.state === 'used',
            ...(project.state === 'used' ? {} : { note: PROJECT_NOT_USED[project.state] }),
          },
        ]
  const clients = sources.map(({ type, path, state }) => ({
    name: type,
    path: short(path),
    servers: state === 'used' ? serversIn(path) : [],
    isUsed: state === 'used',
    ...(state === 'used' ? {} : { note: SOURCE_NOT_USED[state] }),
  }))
  return [...own, ...ofProject, ...clients]
}
