// How much one pipe may move. A reference is short and what it stands for is not: two in a step double the data.

import { createJsonSize, type JsonSize } from './json-size.ts'

/** What the references of all steps stand for, as often as they are used, and what their conditions compare. */
export const MAX_REFERENCED_BYTES = 8 * 1024 * 1024

export interface Allowance {
  /** Infinity for what no allowance is enough for. */
  readonly sizeOf: JsonSize
  /** False where not as much is left; else it is used up. */
  take(bytes: number): boolean
}

/** For one run of one pipe. */
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
