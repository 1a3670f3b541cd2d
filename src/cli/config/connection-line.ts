// How a server is reached, on one line, with the names of its variables and never their values.

import type { Connection } from '../../config/server-config.ts'
import { maskSecrets } from '../../config/write-secrets.ts'
import { oneLine, visible } from '../output/text.ts'

export function connectionLine(connection: Connection): string {
  return maskedLine(maskSecrets(connection))
}

/** The same for a connection whose secrets are masked already. */
export function maskedLine(connection: Connection): string {
  if (connection.type !== 'stdio') {
    const headers = Object.keys(connection.headers)
    return oneLine(visible(`${connection.url}${headers.length === 0 ? '' : ` (headers: ${headers.join(', ')})`}`))
  }
  const { command, args, env, cwd, envFile } = connection
  const names = Object.keys(env)
  const more = [
    ...(names.length === 0 ? [] : [`variables: ${names.join(', ')}`]),
    ...(envFile === undefined ? [] : [`variables from ${envFile}`]),
    ...(cwd === undefined ? [] : [`in ${cwd}`]),
  ]
  const line = `${[command, ...args].map(quoted).join(' ')}${more.length === 0 ? '' : ` (${more.join('; ')})`}`
  return oneLine(visible(line))
}

/** As one would type it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./~${}-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
