// A server's state in the hands of one principal, of no use to another: a wrapped server cannot tell its clients apart.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Of this process: a state does not outlive the conversation that it is about. */
const KEY = randomBytes(32)
const SEAL = /^sealed\.([0-9a-f]{64})\.([\s\S]*)$/

export function sealState(state: string, owner: string): string {
  return `sealed.${sealOf(state, owner).toString('hex')}.${state}`
}

/** Undefined where it was not sealed for this owner, or is not what it was. */
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
