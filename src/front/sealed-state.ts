// Binds a server's `requestState` to one principal, because a wrapped server cannot tell its clients apart.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** The default key. It ends with the process, as states do. Gateways that share a store use a common key instead. */
const KEY = randomBytes(32)
const SEAL = /^sealed\.([0-9a-f]{64})\.([\s\S]*)$/

export function sealState(state: string, owner: string, key: Uint8Array = KEY): string {
  return `sealed.${sealOf(state, owner, key).toString('hex')}.${state}`
}

/** Undefined if the state was not sealed for this owner, or was changed. */
export function openState(sealed: string, owner: string, key: Uint8Array = KEY): string | undefined {
  const [, seal = '', state = ''] = SEAL.exec(sealed) ?? []
  const expected = sealOf(state, owner, key)
  const given = Buffer.from(seal, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected) ? state : undefined
}

function sealOf(state: string, owner: string, key: Uint8Array): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([owner, state]))
    .digest()
}
