// Tracks requests and other work in flight. Before a server stops, `drain` waits for them and cancels what takes too long.

export interface InFlight {
  /** The name of the tool or the method, shown to the operator. */
  name(): string
  cancel(reason: Error): void
}

export interface Activity {
  /** Work without a `request` is waited for but never cancelled. */
  track<T>(work: Promise<T>, request?: InFlight): Promise<T>
  /** The number of requests and other work in flight. */
  readonly active: number
  /** The names of the requests in flight. */
  readonly names: readonly string[]
  /** True while new calls are refused. */
  readonly isDraining: boolean
  /** Sets `isDraining`. */
  refuseCalls(): void
  /** Resolves when no work is in flight, including work that began meanwhile. */
  idle(): Promise<void>
  /** Cancels all requests in flight. */
  cancel(reason: Error): void
}

export function createActivity(): Activity {
  // An array: a Map that is filled and emptied again leaves its old tables to the garbage collector with each call.
  const inFlight: { readonly work: Promise<unknown>; readonly request: InFlight | undefined }[] = []
  let isDraining = false
  const requests = () => inFlight.flatMap(({ request }) => request ?? [])
  return {
    track(work, request) {
      const tracked = { work, request }
      inFlight.push(tracked)
      const end = () => void inFlight.splice(inFlight.indexOf(tracked), 1)
      work.then(end, end)
      return work
    },
    get active() {
      return inFlight.length
    },
    get names() {
      return requests().map((request) => request.name())
    },
    get isDraining() {
      return isDraining
    },
    refuseCalls() {
      isDraining = true
    },
    async idle() {
      while (inFlight.length > 0) await Promise.allSettled(inFlight.map(({ work }) => work))
    },
    cancel(reason) {
      for (const request of requests()) request.cancel(reason)
    },
  }
}

export const DEFAULT_DRAIN_MS = 30_000
/** How long to wait for the answer of a cancelled request. */
const CANCELLED_WAIT_MS = 1_000
/** The maximum number of names in a message. */
const MAX_NAMES = 5

export interface DrainOptions {
  readonly drainMs: number
  /** Ends the wait at once. */
  readonly hurry?: AbortSignal | undefined
  /** Whether to log the requests that are waited for. Cancelled requests are always logged. */
  readonly isAnnounced?: boolean
  /** Called with messages about requests that are waited for and requests that are cancelled. */
  readonly say?: ((message: string) => void) | undefined
  /** Appended to the message about requests that are waited for. */
  readonly hint?: string | undefined
}

/** Resolves when `idle` resolves, at the latest one second after `drainMs` or after `hurry` aborts. */
export async function drain(activity: Activity, idle: Promise<void>, options: DrainOptions): Promise<void> {
  const { drainMs, hurry, isAnnounced = true, say, hint } = options
  const waiting = activity.names
  if (isAnnounced && waiting.length > 0 && drainMs > 0) {
    const what = `waiting up to ${drainMs / 1_000} s for ${formatRequests(waiting.length)}: ${listNames(waiting)}`
    say?.(hint === undefined ? what : `${what}; ${hint}`)
  }
  if (await settles(idle, drainMs, hurry)) return
  const { names } = activity
  const after = hurry?.aborted === true ? '' : ` after ${drainMs / 1_000} s`
  if (names.length > 0) say?.(`cancelled ${formatRequests(names.length)}${after}: ${listNames(names)}`)
  activity.cancel(new Error('The server is stopping.'))
  await settles(idle, CANCELLED_WAIT_MS)
}

/** Resolves with true if the event resolves in time. The timer keeps the process alive: a pending promise does not. */
export async function settles(event: Promise<unknown>, withinMs: number, hurry?: AbortSignal): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  let stop = () => {}
  const late = new Promise<false>((resolve) => {
    stop = () => resolve(false)
    timer = setTimeout(stop, withinMs)
    if (hurry?.aborted === true) stop()
    else hurry?.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([event.then(() => true), late])
  } finally {
    clearTimeout(timer)
    hurry?.removeEventListener('abort', stop)
  }
}

function formatRequests(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`
}

/** Returns a text such as `'notes:add' (2), 'notes:list'`, with the most frequent names first. */
function listNames(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  const shown = sorted.slice(0, MAX_NAMES).map(([name, count]) => (count === 1 ? `'${name}'` : `'${name}' (${count})`))
  const rest = sorted.length - shown.length
  return [...shown, ...(rest === 0 ? [] : [`and ${rest} more`])].join(', ')
}
