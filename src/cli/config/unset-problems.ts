// References to variables that are not set here, as problems of the config: the server starts only where they are.

import type { LoadedConfig } from '../../config/load.ts'
import { type ConfigProblem, pathText } from '../../config/problem.ts'
import { resolveText, type Variables } from '../../config/references.ts'
import { quoteList } from '../../core/text.ts'
import { unsetVariables } from '../unset-variables.ts'

export function unsetProblems(loaded: LoadedConfig, variables: Variables): readonly ConfigProblem[] {
  const { servers, config, origin } = loaded
  const ofServers = servers
    .filter(({ enabled }) => enabled)
    .flatMap(({ name, connection, origin: { file, path = '', source } }) =>
      unsetVariables(connection, variables).map(({ variable, field }) => {
        const inside = pathText(field)
        // A client may call its fields otherwise; ours are called as they are written.
        const place = { file, path: source === 'config' || source === 'project' ? `${path}.${inside}` : path }
        return unset(
          place,
          variable,
          `${inside} of server '${name}' refers to it`,
          `Export it, or give a default as in \${${variable}:-value}`,
        )
      }),
    )
  const file = origin.kind === 'defaults' ? '' : origin.file
  const ofTokens = Object.entries(config.http.tokens).flatMap(([principal, text]) => {
    const resolved = resolveText(text, variables)
    const path = pathText(['http', 'tokens', principal])
    return resolved.ok
      ? []
      : resolved.missing.map((variable) =>
          unset(
            { file, path },
            variable,
            `${principal} has no token without it`,
            'Export it before the gateway starts',
          ),
        )
  })
  return [...ofServers, ...ofTokens]
}

function unset(
  place: Pick<ConfigProblem, 'file' | 'path'>,
  variable: string,
  whose: string,
  todo: string,
): ConfigProblem {
  return {
    ...place,
    severity: 'warning',
    expected: 'a variable that is set, or a default',
    found: 'neither',
    message: `Variable ${quoteList([variable])} is not set, and ${whose}. ${todo}`,
  }
}
