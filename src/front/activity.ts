// How many calls are under way, so that stopping can wait for them.

export interface Activity {
  track<T>(work: Promise<T>): Promise<T>
  readonly active: number
  /** Resolves when nothing is under way, or after `graceMs`; true when all had ended. */
  drain(graceMs: number): Promise<boolean>
}

export function createActivity(): Activity {
  const underWay = new Set<Promise<unknown>>()
  return {
    async track(work) {
      underWay.add(work)
      try {
        return await work
      } finally {
        underWay.delete(work)
      }
    },
    get active() {
      return underWay.size
    },
    async drain(graceMs) {
      let isOver = false
      let timer: NodeJS.Timeout | undefined
      const grace = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          isOver = true
          resolve()
        }, graceMs)
      })
      // Calls that begin meanwhile are waited for too, within the same grace.
      while (underWay.size > 0 && !isOver) await Promise.race([grace, Promise.allSettled(underWay)])
      clearTimeout(timer)
      return underWay.size === 0
    },
  }
}
