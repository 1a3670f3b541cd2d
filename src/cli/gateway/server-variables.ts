// Finds the variables that the connections of servers refer to, and tells how to set those that are not set.

import { textsOf } from '../../config/connection-kinds.ts'
import { pathText } from '../../config/problem.ts'
import { isPersonal, parseTemplate, resolveText, type Variables } from '../../config/references.ts'
import type { Connection, ServerConfig } from '../../config/server-config.ts'
import { quoteList, shellWord } from '../../core/text.ts'
import { readVariable } from '../../core/variables.ts'
import type { Environment } from '../../setup/environment.ts'
import { isOpenToOthers, readSecrets, secretsFile, secretsWritten } from '../../setup/secrets-file.ts'
import type { Output } from '../output/output.ts'
import { fitting, oneLine, shortPath } from '../output/text.ts'

/** `field` is the path of the text that refers to the variable, such as `env`, `TOKEN`. */
export function unsetVariables(connection: Connection, variables: Variables) {
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

/** The variables that a server needs and that are not set. */
export function unsetNamesOf(server: { readonly variables: readonly string[] }, env: Variables): readonly string[] {
  return server.variables.filter((name) => readVariable(env, name) === undefined)
}

/** The parts that are needed to find and to name the secrets file. */
export type SecretsPlace = Pick<Environment, 'configDir' | 'home' | 'platform'>

/** For example `the variable 'TOKEN' is not set`; undefined for an empty list. Names the secrets file if it is ignored. */
export function describeUnset(names: readonly string[], place: SecretsPlace): string | undefined {
  if (names.length === 0) return undefined
  return isIgnored(place) ? `${unsetText(names)}: ${shownFile(place)} ${IGNORED}` : unsetText(names)
}

/**
 * Like `describeUnset`, for a text without `howToSet`. If the variables are in a secrets file that is ignored, tells
 * how to make the file private.
 */
export function explainUnset(names: readonly string[], place: SecretsPlace): string | undefined {
  if (names.length === 0) return undefined
  if (!areInIgnoredFile(names, place)) return unsetText(names)
  return `${unsetText(names)}; run ${chmodCommand(place)}: the file ${IGNORED}`
}

const IGNORED = 'is ignored, because other users can access it'

function unsetText(names: readonly string[]): string {
  return names.length === 1
    ? `the variable ${quoteList(names)} is not set`
    : `the variables ${quoteList(names)} are not set`
}

function isIgnored(place: SecretsPlace): boolean {
  return isOpenToOthers(secretsFile(place), place.platform)
}

/** Whether all of these variables are in the secrets file, and unset only because it is ignored. */
function areInIgnoredFile(names: readonly string[], place: SecretsPlace): boolean {
  if (!isIgnored(place)) return false
  const written = secretsWritten(secretsFile(place))
  return names.every((name) => written[name] !== undefined)
}

function shownFile({ configDir, home }: SecretsPlace): string {
  return oneLine(shortPath(secretsFile({ configDir }), home))
}

/** In quotes, a shell does not expand `~`, so a path that needs quotes is written in full. */
function chmodCommand(place: SecretsPlace): string {
  const short = shownFile(place)
  return `\`chmod 600 ${shellWord(short) === short ? short : shellWord(secretsFile(place))}\``
}

/** For example `add it to ~/.config/toolcrib/secrets.env as TOKEN=value …`, as the end of a sentence. */
export function howToSet(names: readonly string[], place: SecretsPlace): string {
  const [first = ''] = names
  const [them, as] = names.length === 1 ? ['it', `${first}=value`] : ['them', 'NAME=value lines']
  if (areInIgnoredFile(names, place)) return `run ${chmodCommand(place)}`
  const rights = isIgnored(place) ? ` (then run ${chmodCommand(place)})` : privateHint(place)
  return `add ${them} to ${shownFile(place)} as ${as}${rights}, export ${them}, or give a default as in \${${first}:-value}`
}

/** Windows has no chmod, and keeps other users out of the home folder. */
function privateHint({ platform }: Pick<SecretsPlace, 'platform'>): string {
  return platform === 'win32' ? '' : ' (readable only by you: chmod 600)'
}

/** A variable to which the client gave a value. The gateway reads the value from its environment or from secrets.env. */
interface NeededVariable {
  readonly name: string
  readonly server: string
  /** The field that refers to it, such as `env.TOKEN`. */
  readonly field: string
  /** Whether it is set for this process. A client may start the gateway without it. */
  readonly set: boolean
  /** True if the reference has a default. */
  readonly optional: boolean
}

/** The variables that the enabled servers refer to. Skips those in secrets.env, which every start reads. */
export function neededVariables(servers: readonly ServerConfig[], environment: Environment): readonly NeededVariable[] {
  const stored = readSecrets(secretsFile(environment), environment.platform)
  return servers
    .filter(({ enabled }) => enabled)
    .flatMap(({ name: server, connection }) =>
      textsOf(connection).flatMap(({ field, text }) =>
        parseTemplate(text).flatMap((part) => {
          if (typeof part === 'string' || readVariable(stored, part.name, environment.platform) !== undefined) return []
          const { name, fallback } = part
          const set = (readVariable(environment.env, name, environment.platform) ?? '') !== ''
          return [{ name, server, field: pathText(field), set, optional: fallback !== undefined }]
        }),
      ),
    )
}

export function neededLines(
  needed: readonly NeededVariable[],
  environment: Environment,
  { paint, width, wrap, path }: Output,
): readonly string[] {
  if (needed.length === 0) return []
  const rows = needed.map(({ name, server, field, set, optional }) => [
    `  ${name}`,
    `${oneLine(server)} ${field}`,
    set ? paint.dim('set here') : optional ? paint.dim('not set, has a default') : paint.yellow('not set'),
  ])
  return [
    '',
    ...wrap('The gateway uses these variables and does not get their values from the client:'),
    ...fitting(rows, width, '', () => rows.flatMap((row) => wrap(row.join(' ').trim(), '  '))),
    ...wrap(
      `Add NAME=value lines to ${path(secretsFile(environment))}${privateHint(environment)}, or export the variables before the client starts.`,
    ),
  ]
}
