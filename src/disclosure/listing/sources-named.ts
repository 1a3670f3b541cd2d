// The sources that the name of a tool points to, which then have a moment to say what they have.

import { isRecord } from '../../core/schema.ts'

/** `server:tool` names its server; any other name may be of one that has yet to say so. */
export function sourcesNamed(names: unknown): readonly string[] | 'all' {
  const servers = [names].flat().map((name) => (typeof name === 'string' ? /^([^:]+):/.exec(name)?.[1] : undefined))
  const named = servers.filter((server) => server !== undefined)
  return named.length === servers.length ? named : 'all'
}

/** Of arguments that name a tool to run in this field, or a result to read on in. */
export function sourcesToRun(args: unknown, field: string): readonly string[] | 'all' {
  if (!isRecord(args)) return sourcesNamed(undefined)
  return args.handle === undefined ? sourcesNamed(args[field]) : []
}
