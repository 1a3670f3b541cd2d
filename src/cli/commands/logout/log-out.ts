// Runs `toolcrib logout`: removes the tokens and the registered client of a server.

import { LOCAL_OWNER } from '../../../sources/upstream/auth/login-owner.ts'
import { createLoginStore } from '../../../sources/upstream/auth/login-store.ts'
import { loginUrl } from '../../../sources/upstream/auth/server-address.ts'
import { oneLine, wrap } from '../../output/text.ts'
import { failWith, type Work } from '../../output/work.ts'
import { findLoginServer } from '../login/find-server.ts'

export async function logOut(work: Work, name: string): Promise<number> {
  const { output, environment, signal } = work
  const found = await findLoginServer(work, name, 'logout')
  if ('error' in found) return failWith(output, found.error)
  const logins = createLoginStore({ stateDir: environment.stateDir })
  const target = { server: name, url: loginUrl(found.connection.url), principal: LOCAL_OWNER.principal }
  const removed = await logins.exclusively(target, signal, () => logins.remove(target))
  const issuers = removed.map(({ issuer }) => issuer)
  output.show({ server: name, removed: issuers }, () => {
    const text =
      issuers.length === 0
        ? `There is no login to '${oneLine(name)}'.`
        : `Logged out of '${oneLine(name)}'. Its tokens are removed from this machine.`
    return wrap(text, output.width)
  })
  return 0
}
