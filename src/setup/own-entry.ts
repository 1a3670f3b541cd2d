// Decides which entries with our name are the gateway, and which are other servers.

import { isDeepStrictEqual } from 'node:util'
import type { Launch } from '../config/imports/client-writer.ts'
import { isSelf } from '../config/self.ts'
import { raise } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import type { ClientFileToChange } from './client-file.ts'
import { type ClientEntry, ownEntries } from './files/write-client.ts'
import { installedLaunches } from './installed.ts'

/** The command line of an entry: a command with arguments, or both in one list. */
export function launchIn({ value }: ClientEntry): Launch | undefined {
  if (!isRecord(value)) return undefined
  const words = [
    ...(Array.isArray(value.command) ? value.command : [value.command]),
    ...(Array.isArray(value.args) ? value.args : []),
  ]
  const isText = words.every((word): word is string => typeof word === 'string')
  const [command, ...args] = isText ? words : []
  return command === undefined ? undefined : { command, args }
}

/** An entry is ours if it runs this program, or if `install` wrote its command line, even one from `--command`. */
export type IsOurs = (entry: ClientEntry) => boolean

export async function ownershipIn(file: string, stateDir: string): Promise<IsOurs> {
  const installed = await installedLaunches(stateDir, file)
  return (entry) => {
    const launch = launchIn(entry)
    if (launch === undefined) return false
    const { command, args } = launch
    return (
      isSelf({ type: 'stdio', env: {}, ...launch }) ||
      installed.some((one) => isDeepStrictEqual([one.command, one.args], [command, args]))
    )
  }
}

/** Raises if an entry with our name is not ours. */
export function checkOwn({ document, file }: ClientFileToChange, isOurs: IsOurs, todo: string): void {
  const foreign = ownEntries(document).find((entry) => !isOurs(entry))
  if (foreign === undefined) return
  raise('CONFIG_UNWRITABLE', { file, reason: `its server '${foreign.name}' is not this gateway`, todo })
}
