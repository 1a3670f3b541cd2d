// Drops the fields of an object that are undefined.

/** The type of `T`, in which the fields that may be undefined are optional. */
type Defined<T> = { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>
}

/**
 * Returns the fields that have a value. Optional fields must be absent if they have none, because code may test
 * whether they exist. Do not use this in the path of a call: the copy takes too long.
 */
export function defined<T extends object>(fields: T): Defined<T> {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as Defined<T> // only fields with a value are left
}
