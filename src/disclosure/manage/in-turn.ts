// One piece of work after the other for each key: what reads and then writes must not run beside itself.

export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function createInTurn(): InTurn {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work)
    // What failed is its caller's; the next in turn starts all the same.
    const settled: Promise<unknown> = result
      .catch(() => {})
      .finally(() => {
        if (last.get(key) === settled) last.delete(key)
      })
    last.set(key, settled)
    return result
  }
}
