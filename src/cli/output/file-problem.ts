// Says why a file that the user named cannot be read or written.

import { errorCode, isAbsent, messageOf } from '../../core/text.ts'

/** `file` is the path as the user typed it. */
export function fileProblem(file: string, error: unknown, access: 'read' | 'written' = 'read'): string {
  if (isAbsent(error)) {
    return access === 'read' ? `'${file}' does not exist` : `'${file}' cannot be written: its folder does not exist`
  }
  if (errorCode(error) === 'EISDIR') return `'${file}' is a folder, not a file`
  return `'${file}' cannot be ${access}: ${messageOf(error)}`
}
