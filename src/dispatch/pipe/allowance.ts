// The byte limit of one pipe. Two short references to `$prev` in each step would double the data with every step.

import { createJsonSize, type JsonSize } from './json-size.ts'

/**
 * The limit for the size of all referenced values, counted per use, plus the size of the data that conditions compare.
 */
export const MAX_REFERENCED_BYTES = 8 * 1024 * 1024

export interface Allowance {
  /** The bytes of a value as JSON. Infinity for a value that is larger than the whole allowance. */
  readonly sizeOf: JsonSize
  /** Uses up `bytes` and returns true, or returns false if fewer are left. */
  take(bytes: number): boolean
}

/** Creates the allowance for one run of one pipe. */
export function createAllowance(maxBytes = MAX_REFERENCED_BYTES): Allowance {
  let left = maxBytes
  return {
    sizeOf: createJsonSize(maxBytes),
    take(bytes) {
      if (bytes > left) return false
      left -= bytes
      return true
    },
  }
}
