// Runs work for the same key one after the other, so that no other work runs between a read and a write.

type KeyedQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work)
    // The caller of the work gets its error. The next work starts anyway.
    const settled: Promise<unknown> = result
      .catch(() => {})
      .finally(() => {
        if (last.get(key) === settled) last.delete(key)
      })
    last.set(key, settled)
    return result
  }
}
