// Cancels a call. A real AbortSignal is made only for code that needs one: on Node 20 it costs a tenth of a call.

/** The part of AbortSignal that the call path uses. Every AbortSignal has it. */
export interface StopSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once: true }): void
  removeEventListener(type: 'abort', listener: () => void): void
  throwIfAborted(): void
}

/** An AbortController and its signal in one object. */
export class Stop implements StopSignal {
  aborted = false
  reason: unknown
  /** An array is enough: most calls have one or two listeners, which are removed again. */
  #listeners: (() => void)[] = []
  #abortSignal: AbortSignal | undefined

  abort(reason: unknown = new DOMException('This operation was aborted', 'AbortError')): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const listeners = this.#listeners
    this.#listeners = []
    for (const listener of listeners) listener()
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const index = this.#listeners.indexOf(listener)
    if (index >= 0) this.#listeners.splice(index, 1)
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  get abortSignal(): AbortSignal {
    if (this.#abortSignal !== undefined) return this.#abortSignal
    const controller = new AbortController()
    const pass = () => controller.abort(this.reason)
    if (this.aborted) pass()
    else this.addEventListener('abort', pass)
    this.#abortSignal = controller.signal
    return controller.signal
  }
}

/** A real AbortSignal, for code that is not ours: handlers, the SDK, `fetch`. */
export function abortSignalOf(signal: StopSignal): AbortSignal {
  if (signal instanceof Stop) return signal.abortSignal
  // A StopSignal is either a Stop or an AbortSignal.
  return signal as AbortSignal
}

const STOP = Symbol('stop')

/**
 * Creates the AbortSignal when `signal` is read. All objects share this getter: with a getter of its own, each object
 * would also get a hidden class of its own, which is slow.
 */
const LAZY_SIGNAL = {
  get(this: { readonly [STOP]: StopSignal }): AbortSignal {
    return abortSignalOf(this[STOP])
  },
  enumerable: true,
  configurable: true,
}

/** Adds the field `signal` to the object. The AbortSignal is made when the field is read. */
export function addSignal<T extends object>(fields: T, stop: StopSignal): T & { readonly signal: AbortSignal } {
  const given: T & { [STOP]?: StopSignal } = fields
  given[STOP] = stop
  return Object.defineProperty(given, 'signal', LAZY_SIGNAL) as T & { readonly signal: AbortSignal } // added here
}

/** A copy of the object with another signal. `{ ...given, signal }` would read the old signal and so create it. */
export function withSignal<T extends { readonly signal: AbortSignal }>(given: T, stop: StopSignal): T {
  const copy: Record<PropertyKey, unknown> = {}
  for (const key of Reflect.ownKeys(given)) if (key !== 'signal') copy[key] = given[key as keyof T]
  // All fields of `given` are copied, and `addSignal` adds the one that is left out.
  return addSignal(copy, stop) as unknown as T
}

/** The signal of the object. Makes no AbortSignal if `addSignal` added the field. */
export function stopSignalOf(given: { readonly signal: AbortSignal }): StopSignal {
  // A copy made by a spread has a plain `signal`, which may differ from the one under STOP.
  const isLazy = Object.getOwnPropertyDescriptor(given, 'signal')?.get === LAZY_SIGNAL.get
  return isLazy && STOP in given ? (given[STOP] as StopSignal) : given.signal // only `addSignal` sets STOP
}
