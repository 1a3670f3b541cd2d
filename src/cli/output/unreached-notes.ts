// Notes about the servers that could not list their tools: those that need a login, and those that did not start.

import { count, oneLine } from './text.ts'

interface UnreachedServer {
  readonly loginCommand?: string | undefined
}

/** One line per kind, with the command to type next. */
export function unreachedNotes(unreached: ReadonlyMap<string, UnreachedServer>): readonly string[] {
  const all = [...unreached].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const logins = all.flatMap(([, { loginCommand }]) =>
    loginCommand === undefined ? [] : [`\`${oneLine(loginCommand)}\``],
  )
  const others = all.filter(([, { loginCommand }]) => loginCommand === undefined).map(([name]) => oneLine(name))
  const needs = logins.length === 1 ? 'needs' : 'need'
  return [
    ...(logins.length === 0 ? [] : [`${count(logins.length, 'server')} ${needs} login: run ${logins.join(', ')}.`]),
    ...(others.length === 0
      ? []
      : [
          `${count(others.length, 'server')} could not be started: ${others.join(', ')}. \`toolcrib doctor\` shows why.`,
        ]),
  ]
}
