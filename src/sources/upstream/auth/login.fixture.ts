// Test fixture: a login store in a temporary folder, logins with a browser, and sources that use the store.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { HttpAuth, HttpConnection } from '../../../config/server-config.ts'
import type { Caller } from '../../../core/call.ts'
import { sourceOf, type TestedOptions, type TestedSource } from '../upstream.fixture.ts'
import { beginLogin, type LoginFlow } from './login-flow.ts'
import { createLoginStore, type Login, type LoginStore } from './login-store.ts'
import { LOCAL_OWNER } from './person.ts'

export const NAME = 'tested'

export interface LoginHome {
  readonly stateDir: string
  readonly logins: LoginStore
  /** All values that were reported as secrets. */
  readonly secrets: readonly string[]
  begin(url: string, auth?: HttpAuth, more?: { now?: () => number; signal?: AbortSignal }): Promise<LoginFlow>
  /** Logs in with the browser and waits until the login is stored. */
  logIn(url: string, auth?: HttpAuth, now?: () => number): Promise<Login>
  find(url: string): Promise<Login | undefined>
  /** A source that uses the logins of this folder. */
  source(url: string, options?: SourceOptions): TestedSource
}

interface SourceOptions extends TestedOptions {
  readonly auth?: HttpAuth
  readonly headers?: Readonly<Record<string, string>>
  readonly type?: HttpConnection['type']
  mayLogIn?(caller: Caller): boolean
}

/** `visit` opens an address as a browser does. */
export function loginHome(visit: (address: string) => Promise<unknown>): LoginHome {
  const stateDir = mkdtempSync(join(tmpdir(), 'toolcrib-logins-'))
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }))
  const logins = createLoginStore({ stateDir })
  const secrets: string[] = []
  const onSecrets = (found: readonly string[]) => void secrets.push(...found)
  const begin: LoginHome['begin'] = (url, auth, { now = Date.now, signal = AbortSignal.timeout(20_000) } = {}) =>
    beginLogin({ server: NAME, connection: connectionTo(url, auth), logins, now, signal, onSecrets })
  return {
    stateDir,
    logins,
    secrets,
    begin,
    async logIn(url, auth, now) {
      const flow = await begin(url, auth, now === undefined ? {} : { now })
      await visit(flow.url)
      return flow.done
    },
    find: (url) => logins.find({ server: NAME, url, principal: LOCAL_OWNER.principal }),
    source(url, { auth, headers = {}, type = 'http', mayLogIn = () => true, ...options } = {}) {
      const settings = { open: async () => createLoginStore({ stateDir }), mayLogIn }
      return sourceOf({ ...connectionTo(url, auth), type, headers }, { logins: settings, onSecrets, ...options })
    },
  }
}

function connectionTo(url: string, auth?: HttpAuth): HttpConnection {
  return { type: 'http', url, headers: {}, ...(auth === undefined ? {} : { auth }) }
}
