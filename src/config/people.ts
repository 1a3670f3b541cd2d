// The variables of each person, for servers with `perPrincipal`.

import type { Config } from './config.ts'
import { referencedNames } from './connection-kinds.ts'
import { UnsetVariables } from './prepare-connection.ts'
import { isPersonal, namesIn, resolveText, type Variables, withPersonal } from './references.ts'
import type { Connection } from './server-config.ts'

interface PersonInConfig {
  /** The key of the person in `people`, which may be missing there. Undefined for a person who cannot have one. */
  readonly listedAs: string | undefined
}

/** The variables of one configuration: those that all servers can refer to, and those of each person. */
export interface PeopleVariables {
  readonly variables: Variables
  readonly people: Config['people']
}

/** The variables for the server of this person. A value of the person that refers to an unset variable is left out. */
export function variablesFor(person: PersonInConfig, { variables, people }: PeopleVariables): Variables {
  const own = Object.entries(valuesOf(person, people)).map(
    ([name, text]) => [name, resolveValue(text, variables)] as const,
  )
  return withPersonal(variables, Object.fromEntries(own))
}

/** The names of the personal variables that a connection refers to, without the prefix `person.`. */
export function personalNames(connection: Connection): readonly string[] {
  return referencedNames(connection).filter(isPersonal).map(withoutPrefix)
}

/** Identifies the values that a person has for these names. It runs at each call, so it resolves only these names. */
export function valuesKeyOf(names: readonly string[], person: PersonInConfig, given: PeopleVariables): string {
  if (names.length === 0) return ''
  const values = valuesOf(person, given.people)
  // Own values only: `constructor` is an inherited property of every object.
  const ownValue = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined)
  return JSON.stringify(names.map((name) => resolveValue(ownValue(name), given.variables)))
}

/** The names of the variables that the values of people refer to. Servers do not inherit these variables. */
export function namesInPeople(people: Config['people']): readonly string[] {
  return Object.values(people).flatMap((values) => Object.values(values).flatMap(namesIn))
}

/** A variable that the user must set for a person. A retry does not help. */
export class UnsetPersonalVariable extends Error {
  override readonly name = 'UnsetPersonalVariable'
}

/** Replaces the error about an unset personal variable with one that says how to set it. Others stay unchanged. */
export function explainUnset(error: unknown, { listedAs }: PersonInConfig): unknown {
  if (!(error instanceof UnsetVariables)) return error
  const [name] = error.missing.filter(isPersonal)
  if (name === undefined) return error
  const variable = withoutPrefix(name)
  if (listedAs === undefined)
    return new UnsetPersonalVariable(
      `it needs '${variable}' of each person, and 'local' has none, because this name is reserved for the user who runs the gateway; give the token or login another name`,
    )
  return new UnsetPersonalVariable(
    `it needs '${variable}' of each person; set people.${listedAs}.${variable} in the configuration, and the variables that it refers to`,
  )
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf('.') + 1)
}

/**
 * Undefined if the text refers to an unset variable. A reference to a personal variable counts as unset too, because a
 * variable of this process could have the same name.
 */
function resolveValue(text: string | undefined, variables: Variables): string | undefined {
  if (text === undefined || namesIn(text).some(isPersonal)) return undefined
  const resolved = resolveText(text, variables)
  return resolved.ok ? resolved.text : undefined
}

function valuesOf({ listedAs }: PersonInConfig, people: Config['people']): Readonly<Record<string, string>> {
  return listedAs !== undefined && Object.hasOwn(people, listedAs) ? (people[listedAs] ?? {}) : {}
}
