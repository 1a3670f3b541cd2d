// A stamp identifies one version of a file without reading its content.

import { statSync } from 'node:fs'
import { errorCode, isAbsent } from '../core/text.ts'

/** The stamp of a file that does not exist. */
export const ABSENT = 'absent'

/**
 * Different content has a different stamp. A file that is replaced gets a new inode number. A file that is edited in
 * place gets a new change time, which a program cannot set back. Only two edits that keep the length, within one step
 * of the file system's clock, have the same stamp.
 */
export function stampOf(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return ABSENT
    const { ino, size, mtimeMs, ctimeMs, mode } = stat
    // The times have fractions, precise to a few hundred nanoseconds.
    return `${ino} ${size} ${mtimeMs} ${ctimeMs} ${mode}`
  } catch (error) {
    // Not ABSENT: such a file, for example in a folder that cannot be entered, may exist.
    return isAbsent(error) ? ABSENT : (errorCode(error) ?? ABSENT)
  }
}
