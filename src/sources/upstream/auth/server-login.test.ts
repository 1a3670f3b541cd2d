import { expect, it } from 'vitest'
import { visit } from '../../../../test/fixtures/browser.ts'
import type { ServerRequest } from '../../../core/call.ts'
import { withResolvers } from '../../../core/waiting.ts'
import { contextOf } from '../../source.fixture.ts'
import { loginHome } from './login.fixture.ts'
import { startProtectedServer } from './protected-server.fixture.ts'
import { createServerLogin } from './server-login.ts'

const caller = {
  principal: 'local',
  era: 'modern',
  transport: 'stdio',
  capabilities: { elicitation: { url: {} } },
} as const

it('a call that declines a login that has ended leaves the next login open, and a third call joins that login', async () => {
  const server = await startProtectedServer()
  const home = loginHome(visit)
  const stop = AbortSignal.timeout(20_000)
  const login = createServerLogin({
    server: 'tested',
    settings: { open: async () => home.logins, mayLogIn: () => true },
    now: Date.now,
    signal: stop,
    onSecrets() {},
    onProblem() {},
  })
  await login.authorize({ type: 'http', url: server.url, headers: {} })
  /** Starts a call. Its client gets the address of the login, and declines when `decline` is called. */
  const call = async () => {
    const { promise: shown, resolve: show } = withResolvers<string>()
    const { promise: answered, resolve: answer } = withResolvers<{ action: string }>()
    const onServerRequest = (request: ServerRequest) => {
      show(String(request.params?.url))
      return answered
    }
    const done = login.offer(contextOf({ caller, onServerRequest }), stop)
    return { address: new URL(await shown), decline: () => answer({ action: 'decline' }), done }
  }

  const first = await call()
  const denied = new URL(String(first.address.searchParams.get('redirect_uri')))
  denied.searchParams.set('error', 'access_denied')
  denied.searchParams.set('state', String(first.address.searchParams.get('state')))
  await visit(denied.href)
  const second = await call()
  expect(second.address.href).not.toBe(first.address.href)
  first.decline()
  expect(await first.done).toBe(false)
  const third = await call()
  expect(third.address.href).toBe(second.address.href)
  second.decline()
  third.decline()
  expect(await Promise.all([second.done, third.done])).toEqual([false, false])
})
