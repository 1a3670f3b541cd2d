// Describes the connection of a server on one line, with the names of its variables but not their values.

import { kindOf } from '../../config/connection-kinds.ts'
import type { Connection } from '../../config/server-config.ts'
import { maskSecrets } from '../../setup/files/write-secrets.ts'
import { oneLine, visible } from './text.ts'

export function connectionLine(connection: Connection): string {
  return maskedLine(maskSecrets(connection))
}

/** Like `connectionLine`, for a connection with secrets that are already masked. */
export function maskedLine(connection: Connection): string {
  const { target, notes } = kindOf(connection).summarize(connection)
  return oneLine(visible(`${target}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`))
}
