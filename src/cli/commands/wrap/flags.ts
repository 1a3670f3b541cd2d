// Reads the flags of `toolcrib wrap`.

import { type Connection, givenConnection, NAMED_KINDS } from '../../../config/connection-kinds.ts'
import { raise } from '../../../core/errors.ts'
import { auto } from '../../../disclosure/strategies/auto/auto.ts'
import { categories } from '../../../disclosure/strategies/categories/categories.ts'
import { type SwitchedStrategy, strategyIn } from '../../../disclosure/strategy-switches.ts'
import { splitNames, strategyFlags, strategyOptionsIn } from '../../strategy/strategy-flags.ts'
import { parseHeader } from '../../words/repeated-options.ts'

export interface WrapFlags {
  readonly strategy?: string
  readonly listing?: string
  readonly core?: string
  readonly hide?: string
  readonly maxResultTokens?: string
  readonly url?: string
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

interface StrategyChoice {
  readonly strategy: string
  readonly strategyOptions: Readonly<Record<string, unknown>>
  /** Set if an environment variable decided. */
  readonly switched?: SwitchedStrategy
}

/** The connection to the wrapped server. */
export function connectionFrom(words: readonly string[], flags: WrapFlags): Connection {
  const { url, header } = flags
  const [command, ...args] = words
  if ((command === undefined) === (url === undefined)) {
    return refuse('Give either the command that starts a server, after --, or the address of a server, with --url')
  }
  // A kind with a `flagText` has a flag with its name, such as `--sse`.
  const switches: Readonly<Record<string, unknown>> = { ...flags }
  const [chosen] = NAMED_KINDS.find(([type, { flagText }]) => flagText !== undefined && switches[type] === true) ?? []
  if (command !== undefined) {
    if (chosen !== undefined) return refuse(`--${chosen} needs --url; a server that is started by a command uses stdio`)
    if (header.length > 0) return refuse('--header needs --url; a server that is started by a command gets no headers')
  }
  const type = chosen ?? (command === undefined ? 'http' : 'stdio')
  const read = givenConnection({ type, command, args, url, headers: Object.fromEntries(header.map(headerFrom)) })
  if (read.ok) return read.connection
  return refuse(
    url === undefined ? `The server cannot be wrapped: ${read.reason}` : `--url takes an address, not '${url}'`,
  )
}

/** A flag takes precedence over the environment. `--listing` and `--core` imply the strategy `categories`. */
export function strategyFrom(flags: WrapFlags, env: Readonly<Record<string, string | undefined>>): StrategyChoice {
  const { listing, core } = flags
  const implied = listing === undefined && core === undefined ? undefined : categories.name
  const named = flags.strategy ?? implied
  const switched = named === undefined ? strategyIn(env) : undefined
  const strategy = named ?? switched?.strategy ?? auto.name
  const hasListing = strategyFlags.some((flag) => flag.option === 'listing' && flag.strategies.includes(strategy))
  // `--core` implies the listing `hybrid`, except for a strategy without listings, such as `lazy`.
  const given = core === undefined || !hasListing ? { ...flags } : { ...flags, listing: listing ?? 'hybrid' }
  const strategyOptions = strategyOptionsIn(given, strategy, 'toolcrib wrap')
  return { strategy, strategyOptions, ...(switched === undefined ? {} : { switched }) }
}

/** The names or patterns in --hide, separated by commas as in `--core`. */
export function hiddenIn({ hide }: Pick<WrapFlags, 'hide'>): readonly string[] {
  const names = hide === undefined ? [] : splitNames(hide)
  return typeof names === 'string' ? [names] : names
}

/** Undefined if results are not cut. */
export function resultTokensIn({ maxResultTokens: text }: Pick<WrapFlags, 'maxResultTokens'>): number | undefined {
  if (text === undefined) return undefined
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : refuse(`--max-result-tokens takes a number from 1, not '${text}'`)
}

export function refuse(reason: string): never {
  return raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib wrap' })
}

function headerFrom(line: string): readonly [string, string] {
  return parseHeader(line) ?? refuse("--header takes 'Name: value'")
}
