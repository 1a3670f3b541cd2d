// Checks the token of an HTTP request: generated, from the config, from `toolcrib token add` or from a company login.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { LoadedConfig } from '../../config/load/load.ts'
import { defined } from '../../core/defined.ts'
import { raise } from '../../core/errors.ts'
import { rightsKey } from '../../core/rights.ts'
import { messageOf, shellWord } from '../../core/text.ts'
import { OWN_PRINCIPAL, reservedName } from '../../crib/own-principal.ts'
import { digest, findToken, type KnownToken, type Verified } from '../../front/auth.ts'
import type { DoorLoginOptions } from '../../front/door-login.ts'
import type { TokenVerifier } from '../../front/oauth.ts'
import type { Environment } from '../../setup/environment.ts'
import { openTokenStore } from '../../setup/user-stores.ts'
import { createExpiryTimer, followTokens, hasTokenPrefix } from '../../storage/token-book.ts'
import { readOrMakeToken } from '../../storage/token-file.ts'
import { type ConfigToken, namedTokens, oauthIn } from '../checks/named-tokens.ts'
import { withConfig } from '../output/output.ts'
import { count } from '../output/text.ts'

export interface HttpAccess {
  readonly login: DoorLoginOptions
  /** The generated token of this user. Undefined if the configuration has tokens or a company login. */
  readonly ownToken: string | undefined
  /** The names of the tokens of `toolcrib token add` that are accepted at the moment. */
  storedNames(): readonly string[]
  /**
   * Uses the tokens and the company login of this configuration. Returns each principal with a token that was removed
   * or replaced, or that has other rights or another expiry. If the company login changed, also returns its principals.
   */
  update(loaded: LoadedConfig): Promise<readonly string[]>
  [Symbol.asyncDispose](): Promise<void>
}

interface AccessOptions {
  onProblem(message: string): void
  /** Called with a principal after its token was revoked or has expired. */
  onRevoked(principal: string): void
  /** Writes a line into the log file of the gateway. */
  log(line: string): void
}

/** The part of the access that the configuration decides. */
interface ConfiguredAccess {
  readonly tokens: Readonly<Record<string, ConfigToken>>
  readonly known: readonly KnownToken[]
  readonly ownToken: string | undefined
  readonly company: TokenVerifier | undefined
  /** Changes if the company login changes. */
  readonly companyKey: string
  /** Whether a token of `toolcrib token add` is refused while the store cannot be reached. */
  readonly isStrict: boolean
}

export async function createHttpAccess(
  environment: Environment,
  loaded: LoadedConfig,
  { onProblem, onRevoked, log }: AccessOptions,
): Promise<HttpAccess> {
  let current = await configure(environment, loaded, onProblem)
  const store = openTokenStore(environment, loaded, ({ message }) => onProblem(message))
  const storedTokens = await followTokens(store, {
    onRevoked,
    onProblem: (error) => onProblem(`the tokens cannot be read: ${messageOf(error)}`),
  })
  const expiry = createExpiryTimer(onRevoked)
  expiry.follow(expiryTimes(current.tokens))
  const isFree = (name: string) => !Object.hasOwn(current.tokens, name) && reservedName(name) === undefined
  const reported = new Set<string>()
  /** Prints once that a stored token is refused because the configuration has a token of the same name. */
  const reportTaken = () => {
    for (const name of storedTokens.names()) {
      if (reported.has(name) || !Object.hasOwn(current.tokens, name)) continue
      reported.add(name)
      onProblem(takenText(name, loaded))
    }
  }
  reportTaken()
  const verify = async (token: string): Promise<Verified> => {
    const hash = digest(token)
    const listed = findToken(current.known, hash)
    if (listed !== undefined) return listed
    const key = hash.toString('base64url')
    const record = storedTokens.find(key)
    if (record === undefined && !storedTokens.hasBeenReached && hasTokenPrefix(token)) return { refused: 'store-down' }
    // A name in the configuration takes precedence over the same name from `toolcrib token add`.
    if (record !== undefined && !isFree(record.name)) return undefined
    // The token may have been revoked at another gateway.
    if (record !== undefined && current.isStrict && store.isDegraded?.() === true) return { refused: 'store-down' }
    if (record !== undefined) return identityOf(record)
    const { company } = current
    const login = company !== undefined && isJwt(token) ? await company.verify(token, key) : undefined
    // The login is refused if the company login of the configuration changed while the keys were fetched.
    return company === current.company ? login : undefined
  }
  return {
    login: {
      auth: { verify },
      resourceServer: { metadata: (url) => current.company?.metadata(url) },
      onRefusedLogin({ reason, address, unreported }) {
        const others = unreported === 0 ? '' : ` (and ${count(unreported, 'other')})`
        log(`refused a login from ${address}: ${reason}${others}`)
      },
    },
    get ownToken() {
      return current.ownToken
    },
    storedNames: () => storedTokens.names().filter(isFree),
    async update(next) {
      const before = current
      current = await configure(environment, next, onProblem, before)
      expiry.follow(expiryTimes(current.tokens))
      reportTaken()
      // A new token of the configuration replaces a stored token of the same name.
      const names = new Set([...Object.keys(before.tokens), ...storedTokens.names()])
      const changed = [...names].filter((name) => tokenKey(before.tokens[name]) !== tokenKey(current.tokens[name]))
      return before.companyKey === current.companyKey ? changed : [...changed, ...(before.company?.principals() ?? [])]
    },
    async [Symbol.asyncDispose]() {
      storedTokens.stop()
      expiry.stop()
      await store[Symbol.asyncDispose]()
    },
  }
}

function takenText(name: string, { origin }: Pick<LoadedConfig, 'origin'>): string {
  const given = origin.kind === 'explicit' ? origin.file : undefined
  const command = withConfig(`toolcrib token revoke ${shellWord(name)}`, given)
  return `the token '${name}' of \`toolcrib token add\` is refused, because http.tokens has a token of the same name; run \`${command}\`, or rename the one in http.tokens`
}

async function configure(
  { stateDir }: Environment,
  loaded: LoadedConfig,
  onProblem: (message: string) => void,
  before?: ConfiguredAccess,
): Promise<ConfiguredAccess> {
  const { tokens: named, problems } = namedTokens(loaded)
  const given = loaded.origin.kind === 'explicit' ? loaded.origin.file : undefined
  for (const { file, path, message } of problems) {
    raise('CONFIG_INVALID', { file, reason: `${path}: ${message}`, given })
  }
  const { oauth } = loaded.config.http
  const companyKey = JSON.stringify(oauth ?? null)
  const company = companyKey === before?.companyKey ? before.company : await companyOf(oauth, onProblem)
  const usesOwnToken = Object.keys(named).length === 0 && oauth === undefined
  const ownToken = usesOwnToken ? await ownTokenIn(join(stateDir, 'token'), onProblem, before?.ownToken) : undefined
  const tokens = ownToken === undefined ? named : { [OWN_PRINCIPAL]: { token: ownToken } }
  const known = Object.entries(tokens).map(([principal, token]) => ({
    identity: identityOf({ ...token, name: principal }),
    digest: digest(token.token),
  }))
  const isStrict = loaded.config.http.whenStoreIsDown === 'closed'
  return { tokens, known, ownToken, company, companyKey, isStrict }
}

async function companyOf(
  oauth: LoadedConfig['config']['http']['oauth'],
  onProblem: (message: string) => void,
): Promise<TokenVerifier | undefined> {
  if (oauth === undefined) return undefined
  const { createTokenVerifier } = await import('../../front/oauth.ts')
  return createTokenVerifier(oauthIn(oauth), onProblem)
}

function identityOf({ name, rights, expiresAt }: Omit<ConfigToken, 'token'> & { readonly name: string }) {
  return {
    principal: name,
    ...(rights === undefined ? {} : { rights }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

function expiryTimes(tokens: ConfiguredAccess['tokens']) {
  return Object.entries(tokens).map(([name, { expiresAt }]) => defined({ name, expiresAt }))
}

/** Changes if the token, its rights or its expiry change. */
function tokenKey(token: ConfigToken | undefined): string {
  return token === undefined ? '' : JSON.stringify([token.token, rightsKey(token.rights), token.expiresAt])
}

function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
}

/**
 * Reads or makes the generated token. If its file cannot be used, returns `previous`, or without it a new token for
 * this run only, which a terminal shows with the address.
 */
async function ownTokenIn(
  file: string,
  onProblem: (message: string) => void,
  previous: string | undefined,
): Promise<string> {
  try {
    return await readOrMakeToken(file, onProblem)
  } catch (error) {
    if (previous !== undefined) return previous
    onProblem(
      `the token file ${file} cannot be used (${messageOf(error)}), so this run has a token of its own, which is printed only on a terminal; make the file readable and writable for you and start again, or set http.tokens in the configuration`,
    )
    return randomBytes(24).toString('base64url')
  }
}
