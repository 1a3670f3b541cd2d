// Reading files: real ones, unless a test gives others.

import { readFile, stat } from 'node:fs/promises'
import { decodeText } from '../core/text.ts'

export interface ConfigFiles {
  isFile(path: string): Promise<boolean>
  /** Fails where the file cannot be read. */
  readText(path: string): Promise<string>
}

// ~/.claude.json grows to tens of megabytes; what is larger still is no config.
const MAX_FILE_BYTES = 128 * 1024 * 1024

export const realFiles: ConfigFiles = {
  async isFile(path) {
    try {
      return (await stat(path)).isFile()
    } catch {
      return false
    }
  },
  async readText(path) {
    const { size } = await stat(path)
    if (size > MAX_FILE_BYTES) throw Object.assign(new Error('The file is too large'), { code: 'EFBIG' })
    return decodeText(await readFile(path))
  },
}

/** `EACCES`, or that it cannot be read: the reason without the text of the error, which may quote anything. */
export function readFailure(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z_]+$/.test(code)
    ? `a file that cannot be read (${code})`
    : 'a file that cannot be read'
}
