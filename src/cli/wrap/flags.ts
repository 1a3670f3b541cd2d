// What can be said to `toolcrib wrap`, and what it means.

import type { Connection } from '../../config/server-config.ts'
import { raise } from '../../core/errors.ts'
import { type SwitchedStrategy, strategyIn } from '../../disclosure/strategy-switches.ts'
import { namesIn, strategyOptionsIn } from '../strategy-flags.ts'

export interface WrapFlags {
  readonly strategy?: string
  readonly listing?: string
  readonly core?: string
  readonly hide?: string
  readonly maxResultTokens?: string
  readonly url?: string
  readonly sse: boolean
  readonly header: readonly string[]
  readonly http: boolean
  readonly host?: string
  readonly port?: string
  /** False with --no-auth. */
  readonly auth: boolean
  readonly json?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
}

export interface StrategyChoice {
  readonly strategy: string
  readonly strategyOptions: Readonly<Record<string, unknown>>
  /** Where a variable of the environment decided. */
  readonly switched?: SwitchedStrategy
}

/** How the server that is wrapped is reached. */
export function connectionFrom(words: readonly string[], { url, sse, header }: WrapFlags): Connection {
  const [command, ...args] = words
  if ((command === undefined) === (url === undefined)) {
    return wrong('give the command of one server after --, or its address with --url')
  }
  if (command !== undefined) {
    if (sse) return wrong('--sse is for a server with --url; one that is started by a command speaks over its pipes')
    if (header.length > 0) return wrong('--header is for a server with --url; variables of a command are its own')
    return { type: 'stdio', command, args, env: {} }
  }
  if (url === undefined || !URL.canParse(url)) return wrong(`--url takes an address, not '${url}'`)
  return { type: sse ? 'sse' : 'http', url, headers: Object.fromEntries(header.map(headerFrom)) }
}

/** A flag weighs more than the environment; the options of a listing mean the strategy that has them. */
export function strategyFrom(flags: WrapFlags, env: Readonly<Record<string, string | undefined>>): StrategyChoice {
  const { listing, core } = flags
  const meant = listing === undefined && core === undefined ? undefined : 'categories'
  const named = flags.strategy ?? meant
  const switched = named === undefined ? strategyIn(env) : undefined
  const strategy = named ?? switched?.strategy ?? 'auto'
  // A core says which listing it is for.
  const given = core === undefined || strategy === 'lazy' ? { ...flags } : { ...flags, listing: listing ?? 'hybrid' }
  const strategyOptions = strategyOptionsIn(given, strategy, 'toolcrib wrap')
  return { strategy, strategyOptions, ...(switched === undefined ? {} : { switched }) }
}

/** As `--core` takes them: names or patterns with commas between. */
export function hiddenIn({ hide }: Pick<WrapFlags, 'hide'>): readonly string[] {
  const names = hide === undefined ? [] : namesIn(hide)
  return typeof names === 'string' ? [names] : names
}

/** Undefined where nothing is to be cut. */
export function resultTokensIn({ maxResultTokens: text }: Pick<WrapFlags, 'maxResultTokens'>): number | undefined {
  if (text === undefined) return undefined
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : wrong(`--max-result-tokens takes a number from 1, not '${text}'`)
}

export function wrong(reason: string): never {
  return raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib wrap' })
}

function headerFrom(line: string): readonly [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(line) ?? []
  return name === undefined || value === undefined ? wrong(`--header takes 'Name: value'`) : [name, value]
}
