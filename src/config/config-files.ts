// Reads files from disk. Tests can pass another implementation.

import { constants, realpathSync } from 'node:fs'
import { access, lstat, open, readFile, stat } from 'node:fs/promises'
import { decodeText, errorCode, isAbsent } from '../core/text.ts'

export interface ConfigFiles {
  isFile(path: string): Promise<boolean>
  /** True for an existing folder that this user cannot enter, and for a link into such a folder or to itself. */
  isLocked(folder: string): Promise<boolean>
  /** Rejects if the file cannot be read. */
  readText(path: string): Promise<string>
  /** Reads a file that someone else may have written. Text, owner and mode belong to the same file. */
  readGuarded(path: string, maxBytes?: number): Promise<GuardedText>
  /** Resolves every link. Returns the path itself if the file does not exist. */
  realPath(path: string): string
}

/** Why a file is not safe: another user owns it, or users other than its owner can write to it. */
export type FileRefusal = 'foreign' | 'writable'

interface GuardedText {
  readonly text: string
  readonly realPath: string
  readonly refusal?: FileRefusal
}

const MB = 1024 * 1024
// ~/.claude.json can have tens of megabytes. A larger file is not a config.
const MAX_FILE_BYTES = 128 * MB
// Every command parses the config of a folder, approved or not. Parsing 4 MB of YAML takes almost a minute.
const MAX_GUARDED_BYTES = 256 * 1024
/** For files that no slow parser reads, such as code. */
export const MAX_UNPARSED_BYTES = 4 * MB

export const realFiles: ConfigFiles = {
  async isFile(path) {
    try {
      return (await stat(path)).isFile()
    } catch {
      return false
    }
  },
  async isLocked(folder) {
    try {
      if ((await stat(folder)).isDirectory()) await access(folder, constants.X_OK)
      return false
    } catch (error) {
      // If a folder above it cannot be entered, the error is the same, but it is unknown whether this folder exists.
      const isThere = await lstat(folder).catch(() => undefined)
      return isThere !== undefined && !isAbsent(error)
    }
  },
  async readText(path) {
    checkSize((await stat(path)).size)
    return decodeText(await readFile(path))
  },
  async readGuarded(path, maxBytes = MAX_GUARDED_BYTES) {
    const realPath = realFiles.realPath(path)
    // Opens the file once, so that owner, mode and text belong to the same file even if the path is replaced meanwhile.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const found = await handle.stat()
      if (!found.isFile()) throw new UnusableFile('something that is not a file')
      checkSize(found.size, maxBytes)
      const refusal = refusalOf(found)
      const text = decodeText(await handle.readFile())
      return { text, realPath, ...(refusal === undefined ? {} : { refusal }) }
    } finally {
      await handle.close()
    }
  },
  realPath(path) {
    try {
      return realpathSync(path)
    } catch {
      return path
    }
  },
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** On Windows files have no numeric owner and mode, so no file is refused. */
function refusalOf({ uid, mode }: { readonly uid: number; readonly mode: number }): FileRefusal | undefined {
  const self = process.platform === 'win32' ? undefined : process.getuid?.()
  if (self === undefined) return undefined
  if (uid !== self) return 'foreign'
  return (mode & 0o022) === 0 ? undefined : 'writable'
}

function checkSize(size: number, max = MAX_FILE_BYTES): void {
  if (size <= max) return
  const limit = max < MB ? `${max / 1024} KB` : `${max / MB} MB`
  throw new UnusableFile(`a file larger than ${limit}`)
}

/** The message says what was found instead of a file that can be read. It quotes no content. */
class UnusableFile extends Error {}

/**
 * Returns what was found instead of a file that can be read. For an error of the system this is its code, such as
 * `EACCES`, without its message, which may quote content.
 */
export function readFailure(error: unknown): string {
  if (error instanceof UnusableFile) return error.message
  const code = errorCode(error)
  return /^[A-Z_]+$/.test(code ?? '') ? `a file that cannot be read (${code})` : 'a file that cannot be read'
}
