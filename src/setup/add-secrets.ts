// Appends values to the secrets file. If two processes append at the same time, the values of both are kept.

import { open, readFile, rm, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../storage/make-folder.ts'
import { isAccessibleToOthers } from './secrets-file.ts'

const HEADER = '# Values that toolcrib puts in place of the references in its config.\n'

export interface AddedSecrets {
  /** Whether other users could read or change the file before. */
  readonly wasAccessible: boolean
  /** Restores the file, unless another program has written to it since. */
  undo(): Promise<void>
}

/** `lines` come from `secretLine`. Afterwards only this user can access the file. */
export async function addSecrets(file: string, lines: readonly string[]): Promise<AddedSecrets> {
  await makeFolder(dirname(file))
  const handle = await open(file, 'a+', 0o600)
  try {
    const { size, mode } = await handle.stat()
    await handle.chmod(0o600)
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(size - 1, 0))
    // If the last line has no line break, the values start on a new line.
    const lineBreak = buffer.toString() === '\n' ? '' : '\n'
    const start = size === 0 ? HEADER : lineBreak
    const added = Buffer.from(`${start}${lines.map((line) => `${line}\n`).join('')}`)
    await handle.appendFile(added)
    await handle.sync()
    return { wasAccessible: isAccessibleToOthers(mode), undo: () => removeAdded(file, size, added) }
  } finally {
    await handle.close()
  }
}

/** `size` is the size of the file before the addition. */
async function removeAdded(file: string, size: number, added: Buffer): Promise<void> {
  const bytes = await readFile(file)
  if (!bytes.subarray(size).equals(added)) return
  await (size === 0 ? rm(file) : truncate(file, size))
}
