// The person behind a call, for servers with a process or connection for each person, and the owner of a login.

import type { Caller } from '../../../core/call.ts'
import { shellWord } from '../../../core/text.ts'

/** The owner of the login that a server uses. */
export interface LoginOwner {
  /** The name under which the login is stored: `local`, or `person:` and the principal of a person. */
  readonly principal: string
  /** The command with which the person, or the operator for the person, logs in. */
  loginCommand(server: string): string
}

/** The user who runs the gateway. All people use this login, except for servers with `perPrincipal`. */
export const LOCAL_OWNER: LoginOwner = {
  principal: 'local',
  loginCommand: (server) => `toolcrib login ${shellWord(server)}`,
}

export interface Person {
  /** Calls with the same key share a process or connection. */
  readonly key: string
  /** The name for messages to the operator. */
  readonly name: string
  /** The name in `people` of the configuration. Undefined if the person cannot have variables there. */
  readonly listedAs: string | undefined
  readonly owner: LoginOwner
}

/** The name of the user who runs the gateway, in `people` of the configuration. */
const LOCAL = 'local'

/** The user who runs the gateway: the command line, and requests of the gateway itself. */
export const LOCAL_PERSON: Person = { key: keyOf(false, LOCAL), name: LOCAL, listedAs: LOCAL, owner: LOCAL_OWNER }

/**
 * A principal over HTTP is a person. Other clients belong to the user who runs the gateway: each principal has its own
 * process, and all of them use the variables and the login of that user.
 */
export function personOf({ principal, transport }: Pick<Caller, 'principal' | 'transport'>): Person {
  if (transport === 'direct') return LOCAL_PERSON
  if (transport !== 'http') return { ...LOCAL_PERSON, key: keyOf(false, principal), name: principal }
  return remotePerson(principal)
}

/** A person who connects over HTTP. */
export function remotePerson(principal: string): Person {
  // A token or an account with the name `local` must not get the variables of the user who runs the gateway.
  const listedAs = principal === LOCAL ? undefined : principal
  const owner: LoginOwner = {
    // The prefix keeps a person with the name `local` apart from the local user.
    principal: `person:${principal}`,
    loginCommand: (server) => `${LOCAL_OWNER.loginCommand(server)} --principal ${shellWord(principal)}`,
  }
  return { key: keyOf(true, principal), name: principal, listedAs, owner }
}

/** JSON keeps the parts apart, for any characters in them. */
function keyOf(isRemote: boolean, principal: string): string {
  return JSON.stringify([isRemote ? 'http' : 'local', principal])
}
