// Checks the token of an HTTP request: generated, from the config, from `toolcrib token add` or from a company login.

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type OAuthSetting, type TokenSetting, tokenIn } from '../../config/http-settings.ts'
import type { LoadedConfig } from '../../config/load/load.ts'
import { type ConfigProblem, problemAt } from '../../config/problem.ts'
import { resolveText } from '../../config/references.ts'
import { defined } from '../../core/defined.ts'
import { raise } from '../../core/errors.ts'
import { type Rights, rightsKey } from '../../core/rights.ts'
import { messageOf, quoteList } from '../../core/text.ts'
import { OWN_PRINCIPAL, reservedName } from '../../crib/own-principal.ts'
import { digest, findToken, isToken, type KnownToken, TOKEN_RULE, type Verified } from '../../front/auth.ts'
import type { DoorLoginOptions } from '../../front/door-login.ts'
import type { TokenVerifier } from '../../front/oauth.ts'
import type { Environment } from '../../setup/environment.ts'
import { openTokenStore } from '../../setup/user-stores.ts'
import { createExpiryTimer, followTokens } from '../../storage/token-book.ts'
import { readOrMakeToken } from '../../storage/token-file.ts'
import { wrongPattern } from '../checks/wrong-pattern.ts'
import { count } from '../output/text.ts'

export interface HttpAccess {
  /** For the HTTP door. */
  readonly login: DoorLoginOptions
  /** The generated token of this user. Undefined if the configuration has tokens or a company login. */
  readonly ownToken: string | undefined
  /**
   * Uses the tokens and the company login of this configuration. Returns each principal that got another token,
   * other rights or another expiry. If the company login changed, also returns the principals that used it.
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
  const verify = async (token: string): Promise<Verified> => {
    const hash = digest(token)
    const listed = findToken(current.known, hash)
    if (listed !== undefined) return listed
    const key = hash.toString('base64url')
    const record = storedTokens.find(key)
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
    async update(next) {
      const before = current
      current = await configure(environment, next, onProblem, before)
      expiry.follow(expiryTimes(current.tokens))
      const changed = Object.keys(before.tokens).filter(
        (name) => tokenKey(before.tokens[name]) !== tokenKey(current.tokens[name]),
      )
      return before.companyKey === current.companyKey ? changed : [...changed, ...(before.company?.principals() ?? [])]
    },
    async [Symbol.asyncDispose]() {
      storedTokens.stop()
      expiry.stop()
      await store[Symbol.asyncDispose]()
    },
  }
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
  const ownToken = usesOwnToken ? await ownTokenIn(join(stateDir, 'token'), onProblem) : undefined
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

/** If the token file cannot be used, the token is valid for this run only; a terminal shows it with the address. */
async function ownTokenIn(file: string, onProblem: (message: string) => void): Promise<string> {
  try {
    return await readOrMakeToken(file, onProblem)
  } catch (error) {
    onProblem(
      `the token cannot be stored (${messageOf(error)}), and it is printed only on a terminal; set http.tokens in the configuration`,
    )
    return randomBytes(24).toString('base64url')
  }
}

interface ConfigToken {
  readonly token: string
  /** Absent: all rights. */
  readonly rights?: Rights
  readonly expiresAt?: number
}

/** The usable tokens in a configuration, and the problems of its tokens and of the scopes of its company login. */
export function namedTokens({ config, origin, variables }: LoadedConfig): {
  readonly tokens: Readonly<Record<string, ConfigToken>>
  readonly problems: readonly ConfigProblem[]
} {
  const tokens: [string, ConfigToken][] = []
  const problems: ConfigProblem[] = []
  const report = (path: readonly string[], expected: string, message: string) => {
    const location = { file: origin.kind === 'defaults' ? '' : origin.file, path: ['http', ...path] }
    problems.push(problemAt(location, { expected, found: 'none that can be used', message }))
  }
  for (const [principal, setting] of Object.entries(config.http.tokens)) {
    const resolved = resolveText(tokenIn(setting), variables)
    if (!resolved.ok) {
      const verb = resolved.missing.length === 1 ? 'is' : 'are'
      report(['tokens', principal], 'a token', `refers to ${quoteList(resolved.missing)}, which ${verb} not set`)
    } else if (!isToken(resolved.text)) {
      report(['tokens', principal], 'a token', TOKEN_RULE)
    } else if (principal !== OWN_PRINCIPAL && reservedName(principal) !== undefined) {
      report(['tokens', principal], 'another name', reservedName(principal) ?? '')
    } else {
      const token = { token: resolved.text, ...limitsOf(setting) }
      tokens.push([principal, token])
      const wrong = wrongPattern(token.rights)
      if (wrong !== undefined) report(['tokens', principal, 'tools'], 'patterns', wrong)
    }
  }
  for (const [scope, rights] of Object.entries(config.http.oauth?.scopes ?? {})) {
    const wrong = wrongPattern(rightsIn(rights))
    if (wrong !== undefined) report(['oauth', 'scopes', scope, 'tools'], 'patterns', wrong)
  }
  // `fromEntries`, because an assignment with a name such as `__proto__` would not create a key.
  return { tokens: Object.fromEntries(tokens), problems }
}

/** The authorization server of a company login. */
export function oauthIn({ issuer, audience, jwksUri, claim, principalClaim, scopes }: OAuthSetting) {
  const rights = Object.entries(scopes).map(([scope, setting]) => [scope, rightsIn(setting)] as const)
  return { issuer, audience, jwksUri, claim, principalClaim, scopes: Object.fromEntries(rights) }
}

function limitsOf(setting: TokenSetting): Omit<ConfigToken, 'token'> {
  if (typeof setting === 'string') return {}
  const { servers, tools, readOnly, expires } = setting
  const isLimited = servers !== undefined || tools !== undefined || readOnly === true
  return defined({
    rights: isLimited ? rightsIn(setting) : undefined,
    expiresAt: expires === undefined ? undefined : Date.parse(expires),
  })
}

function rightsIn({ servers, tools, readOnly }: OAuthSetting['scopes'][string]): Rights {
  return defined({ servers, tools, readOnly })
}
