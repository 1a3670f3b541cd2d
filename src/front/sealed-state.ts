// Binds a server's `requestState` to one principal, because a wrapped server cannot tell its clients apart.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Made per process: a state is not used after the process has ended. */
const KEY = randomBytes(32)
const SEAL = /^sealed\.([0-9a-f]{64})\.([\s\S]*)$/

export function sealState(state: string, owner: string): string {
  return `sealed.${sealOf(state, owner).toString('hex')}.${state}`
}

/** Undefined if the state was not sealed for this owner, or was changed. */
export function openState(sealed: string, owner: string): string | undefined {
  const [, seal = '', state = ''] = SEAL.exec(sealed) ?? []
  const expected = sealOf(state, owner)
  const given = Buffer.from(seal, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected) ? state : undefined
}

function sealOf(state: string, owner: string): Buffer {
  return createHmac('sha256', KEY)
    .update(JSON.stringify([owner, state]))
    .digest()
}
