// How much is under way, so that stopping can wait for it.

export interface Activity {
  track<T>(work: Promise<T>): Promise<T>
  readonly active: number
  /** Draining has begun: nothing new should. */
  readonly isDraining: boolean
  /** Resolves when nothing is under way, or after `graceMs`; true when all had ended. */
  drain(graceMs: number): Promise<boolean>
}

export function createActivity(): Activity {
  const underWay = new Set<Promise<unknown>>()
  let isDraining = false
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
    get isDraining() {
      return isDraining
    },
    async drain(graceMs) {
      isDraining = true
      let isOver = false
      let timer: NodeJS.Timeout | undefined
      const grace = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          isOver = true
          resolve()
        }, graceMs)
      })
      // What begins meanwhile is waited for too, within the same grace.
      while (underWay.size > 0 && !isOver) await Promise.race([grace, Promise.allSettled(underWay)])
      clearTimeout(timer)
      return underWay.size === 0
    },
  }
}
