// Finds the variables that a server's connection refers to and that are not set, with the fields that refer to them.

import { textsOf } from '../../config/connection-kinds.ts'
import { isPersonal, resolveText, type Variables } from '../../config/references.ts'
import type { Connection } from '../../config/server-config.ts'
import { quoteList } from '../../core/text.ts'
import { readVariable } from '../../core/variables.ts'
import type { Environment } from '../../setup/environment.ts'
import { isOpenToOthers, secretsFile } from '../../setup/secrets-file.ts'
import { oneLine, shortPath } from '../output/text.ts'

interface UnsetVariable {
  readonly variable: string
  /** The path of the text inside the connection, such as `env`, `TOKEN`. */
  readonly field: readonly (string | number)[]
}

export function unsetVariables(connection: Connection, variables: Variables): readonly UnsetVariable[] {
  return textsOf(connection).flatMap(({ field, text }) => {
    const resolved = resolveText(text, variables)
    // A personal variable has one value per person, so it is not a missing variable of this process.
    const missing = resolved.ok ? [] : resolved.missing.filter((variable) => !isPersonal(variable))
    return missing.map((variable) => ({ variable, field }))
  })
}

export function unsetNames(connection: Connection, variables: Variables): readonly string[] {
  return [...new Set(unsetVariables(connection, variables).map(({ variable }) => variable))]
}

/** The unset variables among those that a server needs. */
export function unsetNamesOf(server: { readonly variables: readonly string[] }, env: Variables): readonly string[] {
  return server.variables.filter((name) => readVariable(env, name) === undefined)
}

/** For example `the variable 'TOKEN' is not set`; undefined for an empty list. */
export function describeUnset(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  return names.length === 1
    ? `the variable ${quoteList(names)} is not set`
    : `the variables ${quoteList(names)} are not set`
}

/** For example `add it to ~/.config/toolcrib/secrets.env as TOKEN=value …`, as the end of a sentence. */
export function howToSet(
  names: readonly string[],
  { configDir, home, platform }: Pick<Environment, 'configDir' | 'home' | 'platform'>,
): string {
  const [first = ''] = names
  const [them, as] = names.length === 1 ? ['it', `${first}=value`] : ['them', 'NAME=value lines']
  const file = secretsFile({ configDir })
  const rights = isOpenToOthers(file, platform)
    ? 'not read while other users can access it: run chmod 600'
    : 'readable only by you: chmod 600'
  return `add ${them} to ${oneLine(shortPath(file, home))} as ${as} (${rights}), export ${them}, or give a default as in \${${first}:-value}`
}
