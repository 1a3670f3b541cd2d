// The hidden fields of a result: JSON texts that were written or read before, so that a result is not encoded twice.

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import type { CommandResult, FailureResult } from './result.ts'

/** Returns the given object, so that a subclass adds its private field to that object. */
class Holder {
  constructor(holder: object) {
    // biome-ignore lint/correctness/noConstructorReturn: this is how a private field gets into an existing object
    return holder
  }
}

/**
 * Attaches a value to an object that other code made. A copy of the object does not have the value.
 *
 * Uses a private field, which takes 15 ns and works with frozen objects. A WeakMap takes 500 ns and more in the garbage
 * collector, and a property that is defined with `Object.defineProperty` takes 200 ns.
 */
export function createHiddenField<T>() {
  class Field extends Holder {
    #value: T | undefined

    constructor(holder: object, value: T) {
      super(holder)
      this.#value = value
    }

    static get(holder: object): T | undefined {
      return #value in holder ? holder.#value : undefined
    }

    static set(holder: object, value: T | undefined): boolean {
      if (!(#value in holder)) return false
      holder.#value = value
      return true
    }
  }
  return {
    get: Field.get,
    set(holder: object, value: T): void {
      // The constructor throws for an object that already has the field.
      if (!Field.set(holder, value)) new Field(holder, value)
    },
    remove: (holder: object): void => void Field.set(holder, undefined),
  }
}

// Each field is a cache: without it, every function returns the same but takes longer. A copy of an object has no
// hidden fields, because a copy is usually made to change something. docs/decisions/046-json-attached-to-results.md has
// the reason why the fields are hidden.

export interface EncodedResult {
  /** False if the result could not be sent; `body` then is the failure with the reason. */
  readonly isSound: boolean
  /** The result without its content blocks and without `wire`. */
  readonly body: CommandResult
  readonly content: readonly ContentBlock[]
  /** The body as JSON. */
  readonly json: string
  /** The content blocks as JSON, empty if there are none. */
  readonly contentJson: string
  /** The size of the body and the content together. */
  readonly bytes: number
}

/** The answer of an upstream server, or the reason why it cannot be passed on. */
export type ProxiedAnswer =
  | { readonly ok: true; readonly wire: CallToolResult; readonly json: string }
  | { readonly ok: false; readonly refused: FailureResult }

interface KnownJson {
  /** The JSON of the whole answer. */
  readonly json: string
  /** The JSON of the only text in it. */
  readonly textJson: string
}

/**
 * On the result of a command. Set by `soundResult`, after the middleware. Read by `encodeResult` and `inertCopy`, for
 * the audit log, batches, the limit of results and the front door. Replaced when `soundResult` gets the object again.
 */
export const encoded = createHiddenField<EncodedResult>()

/**
 * On a result with `wire`. Set and read by `proxiedAnswer` and `wireJson`, for the limit of results and the front door.
 * Dropped when `soundResult` gets the object again after middleware, which may have changed the answer in place.
 */
export const proxied = createHiddenField<ProxiedAnswer>()

/**
 * On `wire` itself. Set by the reader of answers over stdio, and by `withStructured` for its copy. Read in place of
 * `JSON.stringify` and of the check of the answer. Dropped by `soundResult` after middleware.
 */
export const knownJson = createHiddenField<KnownJson>()
