// What can be said to `toolcrib wrap`, and what it means.

import type { Connection } from '../../config/server-config.ts'
import { raise } from '../../core/errors.ts'

export interface WrapFlags {
  readonly strategy?: string
  readonly listing?: string
  readonly core?: string
  readonly prefix?: string
  readonly url?: string
  readonly sse: boolean
  readonly header: readonly string[]
  readonly http: boolean
  readonly host?: string
  readonly port?: string
  /** False with --no-auth. */
  readonly auth: boolean
}

export interface StrategyChoice {
  readonly strategy: string
  readonly strategyOptions: Readonly<Record<string, unknown>>
}

/** How the server that is wrapped is reached. */
export function connectionFrom(words: readonly string[], { url, sse, header }: WrapFlags): Connection {
  const [command, ...args] = words
  if ((command === undefined) === (url === undefined)) {
    return wrong('give the command of one server after --, or its address with --url')
  }
  if (command !== undefined) {
    if (header.length > 0) return wrong('--header is for a server with --url; variables of a command are its own')
    return { type: 'stdio', command, args, env: {} }
  }
  if (url === undefined || !URL.canParse(url)) return wrong(`--url takes an address, not '${url}'`)
  return { type: sse ? 'sse' : 'http', url, headers: Object.fromEntries(header.map(headerFrom)) }
}

/** A flag weighs more than the environment; the options of a listing mean the strategy that has them. */
export function strategyFrom(
  { strategy, listing, core }: Pick<WrapFlags, 'strategy' | 'listing' | 'core'>,
  env: Readonly<Record<string, string | undefined>>,
): StrategyChoice {
  const hasListing = listing !== undefined || core !== undefined
  const strategyOptions = {
    ...(listing === undefined && core === undefined ? {} : { listing: listing ?? 'hybrid' }),
    ...(core === undefined ? {} : { core: core === 'learned' ? core : core.split(',').map((one) => one.trim()) }),
  }
  return { strategy: strategy ?? (hasListing ? 'categories' : (switchedIn(env) ?? 'auto')), strategyOptions }
}

export function portFrom(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text)
  return wrong(`--port takes a number from 0 (any free port) to 65535, not '${text}'`)
}

export function wrong(reason: string): never {
  return raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib wrap' })
}

function switchedIn({ TOOL_LOADING, LAZY_MODE }: Readonly<Record<string, string | undefined>>): string | undefined {
  const loading = TOOL_LOADING?.toLowerCase()
  if (loading === 'eager') return 'individual'
  if (loading === 'lazy') return 'categories'
  return /^(?:true|1|yes|on)$/i.test(LAZY_MODE ?? '') ? 'manage' : undefined
}

function headerFrom(line: string): readonly [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(line) ?? []
  return name === undefined || value === undefined ? wrong(`--header takes 'Name: value'`) : [name, value]
}
