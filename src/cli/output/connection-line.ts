// Describes the connection of a server on one line, with the names of its variables but not their values.

import type { Connection } from '../../config/server-config.ts'
import { maskSecrets } from '../../setup/files/write-secrets.ts'
import { oneLine, visible } from './text.ts'

export function connectionLine(connection: Connection): string {
  return maskedLine(maskSecrets(connection))
}

/** Like `connectionLine`, for a connection with secrets that are already masked. */
export function maskedLine(connection: Connection): string {
  if (connection.type !== 'stdio') {
    const { headers, auth } = connection
    const names = Object.keys(headers)
    const login = auth?.grant === 'client_credentials' ? 'logs in by itself' : 'login'
    const more = [
      ...(names.length === 0 ? [] : [`headers: ${names.join(', ')}`]),
      ...(auth === undefined ? [] : [auth.clientId === undefined ? login : `${login} as client ${auth.clientId}`]),
    ]
    return oneLine(visible(`${connection.url}${more.length === 0 ? '' : ` (${more.join('; ')})`}`))
  }
  const { command, args, env, cwd, envFile, inheritEnv, allowEnv = [] } = connection
  const names = Object.keys(env)
  const more = [
    ...(names.length === 0 ? [] : [`variables: ${names.join(', ')}`]),
    ...(envFile === undefined ? [] : [`variables from ${envFile}`]),
    ...(allowEnv.length === 0 ? [] : [`allowEnv: ${allowEnv.join(', ')}`]),
    ...(inheritEnv === undefined
      ? []
      : [`inheritEnv: ${Array.isArray(inheritEnv) ? inheritEnv.join(', ') : inheritEnv}`]),
    ...(cwd === undefined ? [] : [`in ${cwd}`]),
  ]
  const line = `${[command, ...args].map(quoted).join(' ')}${more.length === 0 ? '' : ` (${more.join('; ')})`}`
  return oneLine(visible(line))
}

/** Quotes a word as in a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./~${}-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
