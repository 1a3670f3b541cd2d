// Changes one field of an object.

import type { JsonObject } from '../is-record.ts'

/** Returns the object with a changed field. An undefined `next` removes the field. */
export function withField(value: JsonObject, name: string, next: unknown): JsonObject {
  if (next !== undefined) return { ...value, [name]: next }
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
}
