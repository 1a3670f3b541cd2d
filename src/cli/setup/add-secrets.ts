// Puts more values into the file of secrets: at its end, so that two who do it at once lose nothing of each other.

import { open, readFile, rm, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../../storage/make-folder.ts'
import { isLoose } from '../secrets-file.ts'

const HEADER = '# Values that toolcrib puts in place of the references in its config.\n'

export interface AddedSecrets {
  /** Others could read or change the file until now. */
  readonly wasLoose: boolean
  /** As it was; left alone where somebody has written to it since. */
  undo(): Promise<void>
}

/** `lines` as `secretLine` writes them. The file is this user's alone afterwards, whatever it was. */
export async function addSecrets(file: string, lines: readonly string[]): Promise<AddedSecrets> {
  await makeFolder(dirname(file))
  const handle = await open(file, 'a+', 0o600)
  try {
    const { size, mode } = await handle.stat()
    await handle.chmod(0o600)
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(size - 1, 0))
    const start = size === 0 ? HEADER : buffer.toString() === '\n' ? '' : '\n'
    const added = Buffer.from(`${start}${lines.map((line) => `${line}\n`).join('')}`)
    await handle.appendFile(added)
    await handle.sync()
    return { wasLoose: isLoose(mode), undo: () => cutOff(file, size, added) }
  } finally {
    await handle.close()
  }
}

async function cutOff(file: string, size: number, added: Buffer): Promise<void> {
  const bytes = await readFile(file)
  if (!bytes.subarray(size).equals(added)) return
  await (size === 0 ? rm(file) : truncate(file, size))
}
