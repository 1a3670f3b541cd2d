// The person behind a call, for servers with a process or connection for each person.

import type { Caller } from '../../core/call.ts'
import { LOCAL_OWNER, type LoginOwner, ownerOf } from './auth/login-owner.ts'

export interface Person {
  /** Calls with the same key share a process or connection. */
  readonly key: string
  /** The name for messages to the operator. */
  readonly name: string
  /** The name in `people` of the configuration. Undefined if the person cannot have variables there. */
  readonly listedAs: string | undefined
  /** The owner of the login that the server uses. */
  readonly owner: LoginOwner
}

/** The name of the user who runs the gateway, in `people` of the configuration. */
const LOCAL = 'local'

/** The user who runs the gateway: the command line, and requests of the gateway itself. */
export const LOCAL_PERSON: Person = { key: keyOf(false, LOCAL), name: LOCAL, listedAs: LOCAL, owner: LOCAL_OWNER }

/**
 * A principal over HTTP is a person. Clients over stdio belong to the user who runs the gateway: each has a process of
 * its own, and all of them use the variables and the login of that user.
 */
export function personOf({ principal, transport }: Pick<Caller, 'principal' | 'transport'>): Person {
  if (transport === 'direct') return LOCAL_PERSON
  if (transport !== 'http') return { ...LOCAL_PERSON, key: keyOf(false, principal), name: principal }
  return remotePerson(principal)
}

export function remotePerson(principal: string): Person {
  // A token or an account with the name `local` must not get what belongs to the user who runs the gateway.
  const listedAs = principal === LOCAL ? undefined : principal
  return { key: keyOf(true, principal), name: principal, listedAs, owner: ownerOf(principal) }
}

/** JSON keeps the parts apart, for any characters in them. */
function keyOf(isRemote: boolean, principal: string): string {
  return JSON.stringify([isRemote ? 'http' : 'local', principal])
}
