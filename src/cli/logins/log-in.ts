// Runs `toolcrib login`, which checks the login with a first connection, and `toolcrib logout`.

import { defined } from '../../core/defined.ts'
import { errorOf } from '../../core/errors.ts'
import { messageOf, shellWord } from '../../core/text.ts'
import { timeLimit, withTimeout } from '../../core/waiting.ts'
import { openLoginsOf } from '../../setup/user-stores.ts'
import { LoginFailed, LoginRequired } from '../../sources/upstream/auth/login-errors.ts'
import { beginLogin, type LoginFlow } from '../../sources/upstream/auth/login-flow.ts'
import type { Login } from '../../sources/upstream/auth/login-store.ts'
import { LOCAL_PERSON, type Person } from '../../sources/upstream/auth/person.ts'
import { loginUrl } from '../../sources/upstream/auth/server-address.ts'
import { createRedactor } from '../../sources/upstream/redactor.ts'
import { secretsOf } from '../../sources/upstream/secrets.ts'
import { reasonOfOutcome } from '../../sources/upstream/to-result.ts'
import { collectTools } from '../../sources/upstream/tool-list.ts'
import type { UpstreamSource } from '../../sources/upstream/upstream-source.ts'
import { StoreLockFailed } from '../../storage/store.ts'
import { rememberFailures } from '../gateway/failed-starts.ts'
import { startableOf } from '../gateway/served-config.ts'
import { openSession } from '../gateway/session.ts'
import { createAsker } from '../output/ask.ts'
import { openBrowser } from '../output/open-browser.ts'
import { count, oneLine, wrap } from '../output/text.ts'
import { type CommonFlags, failWith, type Work } from '../output/work.ts'
import { findLoginServer, type LoginServer } from './login-server.ts'

export interface LogoutFlags extends CommonFlags {
  /** The owner of the login. Default: the user who runs the gateway. */
  readonly principal?: string
}

export interface LoginFlags extends LogoutFlags {
  /** False with --no-browser. */
  readonly browser: boolean
}

/** How long the user may take. */
const LOGIN_WAIT_MS = 5 * 60_000
/** How long the first connection may take. */
const CHECK_WAIT_MS = 60_000

export async function logIn(work: Work, name: string, flags: LoginFlags): Promise<number> {
  const { output, environment, signal } = work
  const found = await findLoginServer(work, name, 'login', flags.principal)
  if ('error' in found) return failWith(output, found.error)
  const { server, connection, person } = found
  const redactor = createRedactor(secretsOf(server.connection, connection))
  let unwritable: string | undefined
  await using opened = await openLoginsOf(environment, found.loaded, (message) => {
    unwritable = message
  })
  const { logins } = opened
  const deadline = timeLimit(LOGIN_WAIT_MS, signal)
  try {
    const flow = await beginLogin({
      server: name,
      owner: person.owner,
      connection,
      logins,
      now: Date.now,
      signal: deadline,
      onSecrets: (secrets) => redactor.learn(secrets),
    })
    const login = await waitForLogin(flow, work, name, flags)
    if (unwritable !== undefined) throw new LoginFailed(unwritable)
    return await showLogin(work, found, login)
  } catch (error) {
    signal.throwIfAborted()
    const reason = deadline.aborted ? `it was not completed in ${LOGIN_WAIT_MS / 60_000} minutes` : messageOf(error)
    const command = person.owner.loginCommand(name)
    return failWith(output, errorOf('LOGIN_FAILED', { server: name, reason: oneLine(redactor.text(reason)), command }))
  }
}

/** Shows the address. Waits for the redirect, and with --no-browser also for the address that the user pastes. */
async function waitForLogin(flow: LoginFlow, work: Work, name: string, flags: LoginFlags): Promise<Login> {
  const { output, environment } = work
  const say = (text: string) => output.printErrorLines(output.wrap(text))
  const isOpened = flags.browser && (await openBrowser(flow.url, environment))
  if (!isOpened || !output.isQuiet) {
    say(`${isOpened ? 'The browser opens' : 'Open'} this address to log in to '${oneLine(name)}' at ${flow.issuer}:`)
    // On one line, so that it can be copied.
    output.printErrorLines(['', flow.url, ''])
  }
  if (flags.browser) return flow.done
  say(
    `Log in there. At the end the browser is sent to ${flow.redirectUrl}. If it cannot show that page, copy the whole address from its address bar and paste it here.`,
  )
  const ending = new AbortController()
  const pasting = readPasted(flow, work, ending.signal)
  try {
    return await Promise.race([flow.done, pasting])
  } finally {
    ending.abort(new Error('the login is over'))
    pasting.catch(() => {})
    flow.close()
  }
}

async function readPasted(flow: LoginFlow, { output, signal }: Work, ended: AbortSignal): Promise<Login> {
  const asker = createAsker()
  const stop = AbortSignal.any([signal, ended])
  try {
    for (;;) {
      const line = await asker.ask('Redirected address: ', stop)
      // Without input, the browser of this machine or a forwarded port can still complete the login.
      if (line === undefined) return await flow.done
      if (line.trim() === '') continue
      try {
        return await flow.paste(line)
      } catch (error) {
        if (!(error instanceof LoginFailed) || error.isFinal) throw error
        output.printErrorLines(output.wrap(messageOf(error)))
      }
    }
  } finally {
    asker.close()
  }
}

/** Connects once, to check the login and to cache the tools. Prints the result and returns the exit code. */
async function showLogin(work: Work, { loaded, server, person }: LoginServer, login: Login): Promise<number> {
  const { output } = work
  const without = loaded.servers.filter((one) => one !== server).map(({ name }) => name)
  const progress = output.progress()
  progress.show(`Connecting to '${oneLine(server.name)}'…`)
  let tools: number | undefined
  let problem: string | undefined
  if (server.enabled) {
    await using session = await openSession(work, { loaded, startsServers: true, without })
    const source = session.source(server.name)
    try {
      tools = await withTimeout(CHECK_WAIT_MS, work.signal, (timeout) => countTools(source, person, timeout))
    } catch (error) {
      work.signal.throwIfAborted()
      problem = messageOf(error)
    }
  }
  progress.clear()
  const { issuer, tokens, expiresAt } = login
  const scope = tokens?.scope
  const isRemote = person !== LOCAL_PERSON
  const document = defined({
    server: server.name,
    principal: isRemote ? person.name : undefined,
    issuer,
    scopes: scope?.split(' '),
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
    isRenewable: tokens?.refresh_token !== undefined,
    tools,
    problem,
  })
  output.show(document, () => {
    const scopes = oneLine(scope ?? '')
      .split(' ')
      .filter(Boolean)
    const granted = scopes.length === 0 ? '' : ` with the scope${scopes.length === 1 ? '' : 's'} ${scopes.join(', ')}`
    const forWhom = isRemote ? ` for '${oneLine(person.name)}'` : ''
    const listed = tools === undefined ? '' : ` It has ${count(tools, 'tool')}.`
    return [
      ...wrap(`Logged in to '${oneLine(server.name)}'${forWhom}${granted}.${listed}`, output.width),
      ...(problem === undefined
        ? []
        : output.wrap(output.keepConfig(`The server does not work yet: ${oneLine(problem)}`))),
    ]
  })
  return problem === undefined ? 0 : 3
}

/** Connects as the person who has logged in, and counts the tools. */
async function countTools(
  source: UpstreamSource | undefined,
  person: Person,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (person === LOCAL_PERSON) return (await source?.refresh(signal))?.tools.length
  if (source === undefined) return undefined
  const caller = { principal: person.name, era: 'direct', transport: 'http' } as const
  const { tools } = await collectTools(async (cursor) => {
    const params = cursor === undefined ? {} : { cursor }
    const listed = await source.request('tools/list', params, signal, { caller, signal })
    if (listed.kind === 'login') throw listed.needed
    if (listed.kind !== 'answered') throw new Error(`it did not list its tools: ${reasonOfOutcome(listed)}`)
    return listed.result
  })
  return tools.length
}

export async function logOut(work: Work, name: string, { principal }: LogoutFlags): Promise<number> {
  const { output, environment, signal } = work
  const found = await findLoginServer(work, name, 'logout', principal)
  if ('error' in found) return failWith(output, found.error)
  await using opened = await openLoginsOf(environment, found.loaded, (message) => output.note(oneLine(message)))
  const { logins, isShared } = opened
  const target = { server: name, url: loginUrl(found.connection.url), principal: found.person.owner.principal }
  let removed: readonly Login[]
  try {
    removed = await logins.exclusively(target, signal, () => logins.remove(target))
  } catch (error) {
    if (!(error instanceof StoreLockFailed)) throw error
    const owner = principal === undefined ? '' : ` --principal ${shellWord(principal)}`
    const command = `toolcrib logout ${shellWord(name)}${owner}`
    return failWith(output, errorOf('LOGIN_FAILED', { server: name, reason: error.message, command, isLogout: true }))
  }
  const issuers = removed.map(({ issuer }) => issuer)
  if (issuers.length > 0 && principal === undefined) {
    // Stored as a failed start, so that `list` and `status` show it until the next login, but at most for the 10 minutes
    // of a failed start: after that, `status` must not keep suggesting a login to a user who has logged out on purpose.
    const needed = new LoginRequired(name, { why: 'none' })
    const failure = { reason: needed.message, loginCommand: needed.command }
    await rememberFailures(environment, [startableOf(found.server)], new Map([[name, failure]]))
  }
  const forWhom = principal === undefined ? '' : ` for '${oneLine(principal)}'`
  const document = { server: name, ...(principal === undefined ? {} : { principal }), removed: issuers }
  output.show(document, () => {
    const text =
      issuers.length === 0
        ? `There is no login to '${oneLine(name)}'${forWhom}.`
        : `Logged out of '${oneLine(name)}'${forWhom}. Its tokens are removed from ${isShared ? 'the shared store' : 'this machine'}.`
    return output.wrap(text)
  })
  return 0
}
