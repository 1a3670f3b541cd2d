// Calls a function when a named entry expires. All entries share one timer.

interface ExpiryTimer {
  /** Replaces the entries. An entry that has already expired is ignored. */
  follow(entries: Iterable<Expiring>): void
  stop(): void
}

interface Expiring {
  readonly name: string
  /** In milliseconds since 1970. Absent: it does not expire. */
  readonly expiresAt?: number
}

/** The longest delay of a timer, 24 days. After it, the timer is set again. */
const MAX_TIMER_MS = 2_147_483_647

/** Does not keep the process alive. */
export function createExpiryTimer(onExpired: (name: string) => void): ExpiryTimer {
  let waiting: readonly Required<Expiring>[] = []
  let timer: NodeJS.Timeout | undefined
  const arm = () => {
    clearTimeout(timer)
    if (waiting.length === 0) return
    const nextAt = waiting.reduce((least, { expiresAt }) => Math.min(least, expiresAt), Number.POSITIVE_INFINITY)
    timer = setTimeout(expire, Math.min(Math.max(0, nextAt - Date.now()), MAX_TIMER_MS)).unref()
  }
  const expire = () => {
    const now = Date.now()
    const expired = waiting.filter(({ expiresAt }) => expiresAt <= now)
    waiting = waiting.filter(({ expiresAt }) => expiresAt > now)
    arm()
    for (const { name } of expired) onExpired(name)
  }
  return {
    follow(entries) {
      const now = Date.now()
      waiting = [...entries].flatMap(({ name, expiresAt }) =>
        expiresAt !== undefined && expiresAt > now ? [{ name, expiresAt }] : [],
      )
      arm()
    },
    stop() {
      waiting = []
      clearTimeout(timer)
    },
  }
}
