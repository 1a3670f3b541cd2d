// Which entries of our name are the gateway, and which are somebody else's.

import { isDeepStrictEqual } from 'node:util'
import type { Launch } from '../../config/imports/client-writer.ts'
import { isSelf } from '../../config/self.ts'
import { type ClientDocument, type ClientEntry, ownEntries } from '../../config/write-client.ts'
import { raise } from '../../core/errors.ts'
import { isRecord } from '../../core/schema.ts'
import type { ClientFileToChange } from './client-file.ts'

/** What an entry runs: a command with arguments, or both in one list. */
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

/** By what it runs: a command line of its user's own choice may run anything. */
export function runsGateway(entry: ClientEntry): boolean {
  const launch = launchIn(entry)
  return launch !== undefined && isSelf({ type: 'stdio', env: {}, ...launch })
}

/** Raises where an entry of our name is not ours: neither by what it runs, nor by the last copy, made when we came. */
export function checkOwn(
  { writer, document, file }: ClientFileToChange,
  launch: Launch,
  newest: ClientDocument | undefined,
  again: string,
): void {
  const isOurs = (entry: ClientEntry) => runsGateway(entry) || isDeepStrictEqual(entry.value, writer.entry(launch))
  const cameSince = newest !== undefined && ownEntries(newest).length === 0
  const foreign = cameSince ? undefined : ownEntries(document).find((entry) => !isOurs(entry))
  if (foreign === undefined) return
  raise('CONFIG_UNWRITABLE', {
    file,
    reason: `it has a server '${foreign.name}' already that is not this gateway`,
    todo: `Give that server another name in the file, or take it out with \`toolcrib un${again}\`, then run \`toolcrib ${again}\` again.`,
  })
}
