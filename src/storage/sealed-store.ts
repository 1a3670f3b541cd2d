// A store with encrypted values, for secrets in a store that other machines can read.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { Store } from './store.ts'

/** The methods of a store that `sealStore` offers. `update` would change encrypted values. */
export type SealedStore = Pick<Store, 'get' | 'set' | 'delete' | 'lock' | typeof Symbol.asyncDispose>

const VERSION = 1
const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts each value with AES-256-GCM. The name of the entry is authenticated too, so that a value that was copied to
 * another entry cannot be read. A value that cannot be decrypted is treated as missing; only the first is reported.
 */
export function sealStore(store: Store, key: Buffer, onProblem: (message: string) => void): SealedStore {
  // Distinguishes a value that was encrypted with another key from a damaged value.
  const keyId = createHash('sha256').update(key).digest('hex').slice(0, 8)
  let isReported = false
  const report = (message: string) => {
    if (!isReported) onProblem(message)
    isReported = true
  }
  const seal = (name: string, value: unknown): string => {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(name))
    const sealed = Buffer.concat([
      iv,
      cipher.update(JSON.stringify(value), 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ])
    return `${VERSION}.${keyId}.${sealed.toString('base64')}`
  }
  const open = (name: string, text: unknown): unknown => {
    if (text === undefined) return undefined
    const [version, id, data = ''] = typeof text === 'string' ? text.split('.') : []
    if (version !== String(VERSION) || id !== keyId) {
      report(
        'A stored login was encrypted with another key, so it is not used. Set TOOLCRIB_STORE_KEY to the same key on all gateways, or log in again.',
      )
      return undefined
    }
    try {
      const sealed = Buffer.from(data, 'base64')
      const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(name)).setAuthTag(sealed.subarray(-TAG_BYTES))
      const json = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      return JSON.parse(json)
    } catch {
      report('A stored login is damaged or was copied from another entry, so it is not used. Log in again.')
      return undefined
    }
  }
  const lock = store.lock?.bind(store)
  return {
    get: async (name) => open(name, await store.get(name)),
    set: (name, value, options) => store.set(name, seal(name, value), options),
    delete: (name) => store.delete(name),
    ...(lock === undefined ? {} : { lock }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}
