// Keeps the last defined value of a resource, so that a view can show it while new data is loading.

import { useRef } from 'preact/hooks'

/** While `isReset` is true, the kept value is dropped. */
export function useLatest<T>(value: T | undefined, isReset: boolean): T | undefined {
  const latest = useRef(value)
  if (isReset) latest.current = undefined
  else if (value !== undefined) latest.current = value
  return latest.current
}
