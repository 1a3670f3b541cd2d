// Opens an address in the default browser, or in the program that the variable BROWSER names.

import { spawn } from 'node:child_process'
import type { Environment } from '../../setup/environment.ts'

/** Resolves with false if the program cannot be started. */
export function openBrowser(url: string, environment: Pick<Environment, 'env' | 'platform'>): Promise<boolean> {
  const [command, ...args] = browserCommand(url, environment)
  return new Promise((resolve) => {
    // Uses no shell, because the server chooses the text of the address.
    const child = spawn(command ?? '', args, { stdio: 'ignore', detached: true, windowsHide: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}

/** `BROWSER` is a command line. The address replaces `%s`, or comes last. */
export function browserCommand(
  url: string,
  { env, platform }: Pick<Environment, 'env' | 'platform'>,
): readonly string[] {
  const words = (env.BROWSER ?? '').split(' ').filter((word) => word !== '')
  if (words.length > 0) {
    return words.includes('%s') ? words.map((word) => (word === '%s' ? url : word)) : [...words, url]
  }
  if (platform === 'darwin') return ['open', url]
  // Not `start`: it is a command of the Windows shell, which would interpret the `&` in the address.
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler', url] : ['xdg-open', url]
}
