// Puts more values into the file of secrets: at its end, so that two who do it at once lose nothing of each other.

import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../../storage/make-folder.ts'
import { isLoose } from '../secrets-file.ts'

const HEADER = '# Values that toolcrib puts in place of the references in its config.\n'

export interface AddedSecrets {
  /** Others could read or change the file until now. */
  readonly wasLoose: boolean
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
    await handle.appendFile(`${start}${lines.map((line) => `${line}\n`).join('')}`)
    await handle.sync()
    return { wasLoose: isLoose(mode) }
  } finally {
    await handle.close()
  }
}
