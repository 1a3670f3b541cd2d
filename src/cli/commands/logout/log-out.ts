// Runs `toolcrib logout`: removes the tokens and the registered client of a server.

import { errorOf } from '../../../core/errors.ts'
import { shellWord } from '../../../core/text.ts'
import { openLoginsOf } from '../../../setup/user-stores.ts'
import type { Login } from '../../../sources/upstream/auth/login-store.ts'
import { loginUrl } from '../../../sources/upstream/auth/server-address.ts'
import { StoreLockFailed } from '../../../storage/store.ts'
import { findLoginServer } from '../../gateway/find-login-server.ts'
import { oneLine, wrap } from '../../output/text.ts'
import { type CommonFlags, failWith, type Work } from '../../output/work.ts'

export interface LogoutFlags extends CommonFlags {
  /** The owner of the login. Default: the user who runs the gateway. */
  readonly principal?: string
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
  const forWhom = principal === undefined ? '' : ` for '${oneLine(principal)}'`
  const document = { server: name, ...(principal === undefined ? {} : { principal }), removed: issuers }
  output.show(document, () => {
    const text =
      issuers.length === 0
        ? `There is no login to '${oneLine(name)}'${forWhom}.`
        : `Logged out of '${oneLine(name)}'${forWhom}. Its tokens are removed from ${isShared ? 'the shared store' : 'this machine'}.`
    return wrap(text, output.width)
  })
  return 0
}
