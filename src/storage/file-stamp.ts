// What tells a file from every other that has been or will be under its name, without reading it.

import { statSync } from 'node:fs'

const ABSENT = 'absent'

/**
 * Another text has another stamp: a file that is written anew gets a number of its own, one that is edited in place
 * another time of change, which nobody can set back.
 */
export function stampOf(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return ABSENT
    const { ino, size, mtimeMs, ctimeMs, mode } = stat
    // Times have fractions: as exact as the file system is, to a few hundred nanoseconds.
    return `${ino} ${size} ${mtimeMs} ${ctimeMs} ${mode}`
  } catch {
    // What cannot be asked about cannot be read either.
    return ABSENT
  }
}
