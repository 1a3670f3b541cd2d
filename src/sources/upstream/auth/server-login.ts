// The login of one server: sends its tokens, and offers the login to a client that can open an address.

import type { RemoteConnection } from '../../../config/server-config.ts'
import type { Caller, CommandContext } from '../../../core/call.ts'
import { isRecord } from '../../../core/is-record.ts'
import { abortSignalOf, type StopSignal } from '../../../core/stop-signal.ts'
import { messageOf } from '../../../core/text.ts'
import { timeLimit, unlessAborted } from '../../../core/waiting.ts'
import { loginRequiredIn } from './login-errors.ts'
import type { LoginFlow } from './login-flow.ts'
import type { LoginOptions, LoginStore } from './login-store.ts'
import { LOCAL_OWNER } from './person.ts'
import { targetOf } from './server-address.ts'

export interface LoginSettings {
  /** Opened when the first server over HTTP starts. */
  open(): Promise<LoginStore>
  /** True if this client may log in for the user who runs the gateway. */
  mayLogIn(caller: Caller): boolean
}

interface ServerLoginOptions extends Omit<LoginOptions, 'connection' | 'logins'> {
  readonly settings: LoginSettings | undefined
  onProblem(reason: string): void
}

export type ServerLogin = ReturnType<typeof createServerLogin>

/** How long the user may take to log in. */
const LOGIN_WAIT_MS = 5 * 60_000

/** A login that waits for the user, and the number of calls that wait for it. */
interface OpenFlow {
  readonly flow: LoginFlow
  waitingCalls: number
  /** True after a client has agreed to open the address. The login then goes on even if the client cancels the call. */
  isAccepted: boolean
  end(): void
}

export function createServerLogin(options: ServerLoginOptions) {
  const { server, settings, owner = LOCAL_OWNER, now, signal, onSecrets, onProblem } = options
  /** The connection of the last start. */
  let lastConnection: RemoteConnection | undefined
  let store: Promise<LoginStore> | undefined
  let opening: Promise<OpenFlow> | undefined
  /** The token that the last start began with. */
  let lastToken: string | undefined

  const openStore = () => {
    store ??= settings?.open()
    return store
  }
  const tokenFor = async (connection: RemoteConnection, logins: LoginStore): Promise<string | undefined> => {
    if (!URL.canParse(connection.url)) return undefined
    const login = await logins.find(targetOf({ server, connection, owner }))
    return login?.tokens?.access_token
  }
  const begin = async (connection: RemoteConnection, logins: LoginStore, forget: () => void): Promise<OpenFlow> => {
    const ending = new AbortController()
    const limited = timeLimit(LOGIN_WAIT_MS, signal, ending.signal)
    const { beginLogin } = await import('./login-flow.ts')
    const flow = await beginLogin({ server, owner, connection, logins, now, signal: limited, onSecrets })
    flow.done.then(forget, forget)
    const end = () => {
      forget()
      ending.abort(new Error('the login was declined'))
    }
    return { flow, waitingCalls: 0, isAccepted: false, end }
  }
  /** Calls at the same time share one login. */
  const join = async (connection: RemoteConnection, logins: LoginStore): Promise<OpenFlow> => {
    if (opening === undefined) {
      const forget = () => {
        if (opening === mine) opening = undefined
      }
      const mine = begin(connection, logins, forget)
      opening = mine
      mine.catch(forget)
    }
    const open = await opening
    open.waitingCalls++
    return open
  }
  const leave = (open: OpenFlow) => {
    open.waitingCalls--
    if (open.waitingCalls === 0 && !open.isAccepted) open.end()
  }

  return {
    /**
     * Returns a wrapper for the fetch of this connection. Undefined without a login store, or if the address or the
     * headers have credentials and `auth` is not set.
     */
    async authorize(connection: RemoteConnection) {
      const logins = await openStore()
      if (logins === undefined) return undefined
      lastConnection = connection
      lastToken = await tokenFor(connection, logins)
      const { openAuthorization } = await import('./open-authorization.ts')
      return openAuthorization({ server, owner, connection, logins, signal, now, onSecrets })
    },
    /** True if the server failed because of a missing login, and the user has logged in since. */
    async hasNewLogin({ failure }: { readonly failure?: Error }): Promise<boolean> {
      if (loginRequiredIn(failure) === undefined || lastConnection === undefined) return false
      const logins = await openStore()
      const token = logins === undefined ? undefined : await tokenFor(lastConnection, logins)
      return token !== undefined && token !== lastToken
    },
    /** The `logIn` function of a ToolSource. */
    async offer(context: Pick<CommandContext, 'caller' | 'onServerRequest'>, stop: StopSignal): Promise<boolean> {
      const { caller, onServerRequest } = context
      const logins = await openStore()
      if (lastConnection === undefined || logins === undefined || onServerRequest === undefined) return false
      // A person may always log in for themselves.
      const mayLogIn = owner !== LOCAL_OWNER || settings?.mayLogIn(caller) === true
      if (!mayLogIn || !canOpenAddresses(caller)) return false
      let open: OpenFlow | undefined
      try {
        open = await join(lastConnection, logins)
        const { url, issuer, done } = open.flow
        const message = `'${server}' needs a login at ${issuer}. Open the address and log in; the call then continues.`
        const params = { mode: 'url', message, url }
        const answer = await onServerRequest({ method: 'elicitation/create', params }, abortSignalOf(stop))
        if (answer.action !== 'accept') return false
        open.isAccepted = true
        await unlessAborted(done, stop)
        return true
      } catch (error) {
        if (!stop.aborted) onProblem(`the login was not completed: ${messageOf(error)}`)
        return false
      } finally {
        if (open !== undefined) leave(open)
      }
    },
  }
}

/** True if the client declares that it can show an address to its user. */
function canOpenAddresses({ capabilities }: Caller): boolean {
  const elicitation = capabilities?.elicitation
  return isRecord(elicitation) && isRecord(elicitation.url)
}
