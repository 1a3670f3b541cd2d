// A limited number of retries in the background, one at a time. A waiting retry does not keep the process alive.

interface Retries {
  /** Has no effect while another retry waits, or when no try is left. */
  schedule(waitMs: number): void
  cancel(): void
}

export function createRetries(tries: number, retry: () => void): Retries {
  let left = tries
  let timer: NodeJS.Timeout | undefined
  return {
    schedule(waitMs) {
      if (timer !== undefined || left === 0) return
      left--
      timer = setTimeout(() => {
        timer = undefined
        retry()
      }, waitMs + 1)
      timer.unref()
    },
    cancel() {
      clearTimeout(timer)
    },
  }
}
