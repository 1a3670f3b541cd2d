// Notices that a server was not used for some time.

interface IdleWatchOptions {
  /** The idle time before `onIdle` is called. 0 means never. Read again after every use. */
  idleMs(): number
  isRunning(): boolean
  onIdle(): void
}

interface IdleWatch {
  /** Call it when a use begins. The server does not count as idle until `leave` is called. */
  enter(): void
  leave(): void
  /** Counts the idle time from now. Call it when the server has started. */
  begin(): void
  /** Call it when the server has ended. */
  end(): void
}

export function createIdleWatch({ idleMs, isRunning, onIdle }: IdleWatchOptions): IdleWatch {
  let users = 0
  let timer: NodeJS.Timeout | undefined
  /** When the last use ended. */
  let idleSince = 0

  const wait = (leftMs: number) => {
    if (idleMs() === 0) return
    timer = setTimeout(() => {
      timer = undefined
      if (users > 0 || !isRunning()) return
      const nextMs = idleSince + idleMs() - performance.now()
      if (nextMs <= 0) onIdle()
      else wait(nextMs)
    }, Math.ceil(leftMs)).unref()
  }
  const begin = () => {
    idleSince = performance.now()
    // A timer that runs already checks the time itself. A new timer for each call would cost more than the check.
    if (users === 0 && isRunning() && timer === undefined) wait(idleMs())
  }
  return {
    enter() {
      users++
    },
    leave() {
      users--
      begin()
    },
    begin,
    end() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
