// The store seam: small pieces of state (a session's context, an enabled set, usage) that outlive one request.

/** Small pieces of state that outlive one request: enabled tools, the context of a session, usage counts. */
export interface Store {
  get(key: string): Promise<unknown>
  set(key: string, value: unknown, options?: { readonly ttlMs?: number }): Promise<void>
  delete(key: string): Promise<void>
  keys(prefix: string): AsyncIterable<string>
  [Symbol.asyncDispose](): Promise<void>
}
