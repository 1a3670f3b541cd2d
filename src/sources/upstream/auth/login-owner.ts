// The owner of the login that a server uses.

import { shellWord } from '../../../core/text.ts'

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

/** A person who connects over HTTP. The prefix keeps a person with the name `local` apart from the local user. */
export function ownerOf(person: string): LoginOwner {
  return {
    principal: `person:${person}`,
    loginCommand: (server) => `${LOCAL_OWNER.loginCommand(server)} --principal ${shellWord(person)}`,
  }
}
