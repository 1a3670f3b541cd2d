// Reports references to unset variables in the servers, the tokens and the people of a config as warnings.

import { tokenIn } from '../../config/http-settings.ts'
import type { LoadedConfig } from '../../config/load/load.ts'
import { type ConfigProblem, pathText } from '../../config/problem.ts'
import { resolveText, type Variables } from '../../config/references.ts'
import { quoteList } from '../../core/text.ts'
import { unsetVariables } from '../gateway/unset-variables.ts'

export function unsetProblems(loaded: LoadedConfig, variables: Variables): readonly ConfigProblem[] {
  const { servers, config, origin } = loaded
  const ofServers = servers
    .filter(({ enabled }) => enabled)
    .flatMap(({ name, connection, origin: { file, path = '', source } }) =>
      unsetVariables(connection, variables).map(({ variable, field }) => {
        const inside = pathText(field)
        // The file of a client may name its fields differently, so only a path in our own format includes the field.
        const location = { file, path: source === 'config' || source === 'project' ? `${path}.${inside}` : path }
        return unsetProblem(
          location,
          variable,
          `but ${inside} of server '${name}' refers to it`,
          `Export it, or give a default as in \${${variable}:-value}`,
        )
      }),
    )
  const file = origin.kind === 'defaults' ? '' : origin.file
  const ofTokens = Object.entries(config.http.tokens).flatMap(([principal, setting]) => {
    const resolved = resolveText(tokenIn(setting), variables)
    const path = pathText(['http', 'tokens', principal])
    return resolved.ok
      ? []
      : resolved.missing.map((variable) =>
          unsetProblem(
            { file, path },
            variable,
            `so '${principal}' has no token`,
            'Export it before the gateway starts',
          ),
        )
  })
  const ofPeople = Object.entries(config.people).flatMap(([person, values]) =>
    Object.entries(values).flatMap(([name, text]) => {
      const resolved = resolveText(text, variables)
      const location = { file, path: pathText(['people', person, name]) }
      const effect = `so '${person}' has no value for '${name}'`
      const missing = resolved.ok ? [] : resolved.missing
      return missing.map((variable) => unsetProblem(location, variable, effect, 'Export it, or add it to secrets.env'))
    }),
  )
  return [...ofServers, ...ofTokens, ...ofPeople]
}

function unsetProblem(
  location: Pick<ConfigProblem, 'file' | 'path'>,
  variable: string,
  effect: string,
  advice: string,
): ConfigProblem {
  return {
    ...location,
    severity: 'warning',
    expected: 'a variable that is set, or a default',
    found: 'neither',
    message: `Variable ${quoteList([variable])} is not set, ${effect}. ${advice}`,
  }
}
