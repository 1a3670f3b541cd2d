// Runs `toolcrib token add`, `list` and `revoke` on the store with the tokens of people.

import type { LoadedConfig } from '../../../config/load/load.ts'
import { storeOf } from '../../../config/store-setting.ts'
import { defined } from '../../../core/defined.ts'
import { raise } from '../../../core/errors.ts'
import type { Rights } from '../../../core/rights.ts'
import { findSimilarTools } from '../../../core/similarity.ts'
import { quoteList, shellWord } from '../../../core/text.ts'
import { reservedName } from '../../../crib/own-principal.ts'
import { loadValid } from '../../../setup/load-config.ts'
import { openTokenStore } from '../../../setup/user-stores.ts'
import { memoryStore } from '../../../storage/memory.ts'
import { createTokenBook, type NewToken, type TokenBook } from '../../../storage/token-book.ts'
import { patternProblemIn } from '../../checks/named-tokens.ts'
import { withConfig } from '../../output/output.ts'
import { oneLine, table } from '../../output/text.ts'
import type { CommonFlags, Work } from '../../output/work.ts'

export interface AddTokenFlags extends CommonFlags {
  readonly servers?: string
  readonly tools?: readonly string[]
  readonly readOnly?: boolean
  readonly expires?: string
}

/** A name starts with a letter or digit, because commander would read a name that starts with a dash as an option. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/

export async function addToken(work: Work, name: string, flags: AddTokenFlags): Promise<number> {
  const { output } = work
  return withTokens(work, async (book, loaded) => {
    const newToken = tokenFrom(name, flags, loaded)
    const token =
      (await book.add(newToken)) ??
      refuse(
        'add',
        `There is already a token '${name}'`,
        `Run \`toolcrib token revoke ${shellWord(name)}\` first, or choose another name.`,
      )
    const { rights = {}, expiresAt } = newToken
    const expires = expiresAt === undefined ? {} : { expires: new Date(expiresAt).toISOString() }
    // Only the token goes to stdout, so that it can be piped into a password manager.
    output.show({ name, token, ...rights, ...expires }, () => [token])
    output.note(
      `This is the only time that the token of '${name}' is shown. Running gateways accept it within a second.`,
    )
    const known = [...loaded.servers, ...(loaded.config.plugins?.sources ?? [])]
    const unknown = (rights.servers ?? []).filter((server) => known.every((one) => one.name !== server))
    if (unknown.length > 0) output.note(`The configuration has no server ${quoteList(unknown)} at the moment.`)
    return 0
  })
}

/** Raises INVALID_ARGUMENTS if the name or a flag cannot be used. */
function tokenFrom(name: string, flags: AddTokenFlags, { config }: LoadedConfig): NewToken {
  const reserved = reservedName(name)
  if (reserved !== undefined) refuse('add', reserved, 'Choose another name.')
  if (!NAME.test(name))
    refuse(
      'add',
      `'${name}' is not a name: use up to 64 letters, digits, . _ @ or -, and start with a letter or a digit`,
    )
  if (Object.hasOwn(config.http.tokens, name))
    refuse('add', `The configuration already has a token '${name}' in http.tokens`, 'Choose another name.')
  const rights = rightsFrom(flags)
  const patternProblem = patternProblemIn(rights)
  if (patternProblem !== undefined) refuse('add', patternProblem)
  const expiresAt = flags.expires === undefined ? undefined : timeFrom(flags.expires, Date.now())
  if (flags.expires !== undefined && expiresAt === undefined)
    refuse('add', `'${flags.expires}' is not a time within the next 100 years, such as 12h, 90d, 1y or 2027-01-31`)
  return defined({ name, rights, expiresAt })
}

/** Undefined means all rights. */
function rightsFrom({ servers, tools, readOnly }: AddTokenFlags): Rights | undefined {
  if (servers === undefined && tools === undefined && readOnly === undefined) return undefined
  const names = servers?.split(',').map((server) => server.trim())
  return defined({ servers: names?.filter((server) => server !== ''), tools, readOnly })
}

function refuse(command: 'add' | 'revoke', reason: string, todo?: string): never {
  return raise('INVALID_ARGUMENTS', { reason, command: `toolcrib token ${command}`, todo })
}

const HOUR_MS = 3_600_000
const UNIT_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: HOUR_MS,
  d: 24 * HOUR_MS,
  w: 7 * 24 * HOUR_MS,
  y: 365 * 24 * HOUR_MS,
  s: 1_000,
}
/** A time further in the future is probably a mistake. */
const MAX_LIFETIME_MS = 100 * 365 * 24 * HOUR_MS

/**
 * Reads a duration such as `90d`, or a date, as milliseconds since 1970. Undefined for any other text, and if the time
 * is not after `now` or not within MAX_LIFETIME_MS.
 */
export function timeFrom(text: string, now: number): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,6})([smhdwy])$/.exec(text) ?? []
  const isDate = /^\d{4}-\d{2}-\d{2}/.test(text)
  const at =
    amount === undefined ? (isDate ? Date.parse(text) : Number.NaN) : now + Number(amount) * (UNIT_MS[unit] ?? 0)
  return at > now && at < now + MAX_LIFETIME_MS ? at : undefined
}

export async function listTokens(work: Work): Promise<number> {
  const { output } = work
  const tokens = await withTokens(work, (book) => book.list())
  const now = Date.now()
  const shown = tokens.map(({ name, rights = {}, createdAt, expiresAt }) => ({
    name,
    ...rights,
    created: new Date(createdAt).toISOString(),
    ...(expiresAt === undefined ? {} : { expires: new Date(expiresAt).toISOString(), isExpired: expiresAt <= now }),
  }))
  output.show({ tokens: shown }, () => {
    if (shown.length === 0)
      return [
        'There are no tokens.',
        `Make one: ${withConfig('toolcrib token add <name>', work.flags.config, work.environment.home)}`,
      ]
    const rows = shown.map(({ name, created, expires, isExpired = false, ...rights }) => [
      oneLine(name),
      ...rightsCells(rights),
      day(created),
      expires === undefined
        ? 'never'
        : `${isSoon(expires, now) ? minute(expires) : day(expires)}${isExpired ? ' (expired)' : ''}`,
    ])
    return table(['name', 'servers', 'tools', 'made', 'expires'], rows, output.width)
  })
  return 0
}

function rightsCells({ servers, tools, readOnly = false }: Rights): readonly [servers: string, tools: string] {
  const names = (list: readonly string[]) => (list.length === 0 ? 'none' : list.map(oneLine).join(', '))
  const matching = tools === undefined ? 'all' : names(tools)
  return [servers === undefined ? 'all' : names(servers), readOnly ? `${matching}, read-only` : matching]
}

function day(time: string): string {
  return time.slice(0, 10)
}

/** For example `2027-01-31 09:30 UTC`. */
function minute(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}

/** Whether the time is less than two days away, so that a date alone says too little. */
function isSoon(time: string, now: number): boolean {
  return Math.abs(Date.parse(time) - now) < 48 * HOUR_MS
}

export async function revokeToken(work: Work, name: string): Promise<number> {
  const { output } = work
  return withTokens(work, async (book, loaded) => {
    if (await book.revoke(name)) {
      output.show({ revoked: name }, () => [
        `Revoked the token of '${oneLine(name)}'. Running gateways refuse it within a second.`,
      ])
      return 0
    }
    if (Object.hasOwn(loaded.config.http.tokens, name))
      refuse('revoke', `The token of '${name}' is in http.tokens of the configuration`, 'Remove it there.')
    const names = (await book.list()).map((one) => one.name)
    const similar = findSimilarTools(name, names)
    const meant = similar.length === 0 ? '' : `Did you mean ${quoteList(similar)}? `
    return refuse('revoke', `There is no token '${name}'`, `${meant}\`toolcrib token list\` lists the tokens.`)
  })
}

async function withTokens<T>(work: Work, use: (book: TokenBook, loaded: LoadedConfig) => Promise<T>): Promise<T> {
  const loaded = await loadValid(work)
  if (storeOf(loaded) === memoryStore) {
    raise('INVALID_OPTIONS', {
      what: 'store',
      reason: 'each process has its own memory, so a gateway would not know the token',
      todo: "Use the store 'file', or list the token in http.tokens.",
    })
  }
  // A store that cannot be written would keep the token in this process only.
  const store = openTokenStore(work.environment, loaded, ({ message, what = message }) =>
    raise('TOKENS_UNAVAILABLE', { reason: what }),
  )
  try {
    return await use(createTokenBook(store), loaded)
  } finally {
    await store[Symbol.asyncDispose]()
  }
}
