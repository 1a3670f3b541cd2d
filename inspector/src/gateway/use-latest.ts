// The last defined value of a resource.

import { useRef } from 'preact/hooks'

/** Returns undefined again after `isReset`. */
export function useLatest<T>(value: T | undefined, isReset: boolean): T | undefined {
  const latest = useRef(value)
  if (isReset) latest.current = undefined
  else if (value !== undefined) latest.current = value
  return latest.current
}
