// Opens an address in the default browser, or in the program that the variable BROWSER names.

import { spawn } from 'node:child_process'
import type { Environment } from '../../setup/environment.ts'

/** An opener such as `xdg-open` reports a failure within this time. A browser may run until the user closes it. */
const OPENED_AFTER_MS = 1_000

/** Resolves with false if there is no display, or if the program cannot be started or fails at once. */
export async function openBrowser(url: string, environment: Pick<Environment, 'env' | 'platform'>): Promise<boolean> {
  if (!hasDisplay(environment)) return false
  const [command, ...args] = browserCommand(url, environment)
  return new Promise((resolve) => {
    // Uses no shell, because the server chooses the text of the address.
    const child = spawn(command ?? '', args, { stdio: 'ignore', detached: true, windowsHide: true })
    const timer = setTimeout(() => {
      child.unref()
      resolve(true)
    }, OPENED_AFTER_MS)
    const end = (isOpened: boolean) => {
      clearTimeout(timer)
      resolve(isOpened)
    }
    child.once('error', () => end(false))
    child.once('exit', (code) => end(code === 0))
  })
}

/** A program in `BROWSER` may need no display. Without one, `xdg-open` would start a browser for text or fail. */
function hasDisplay({ env, platform }: Pick<Environment, 'env' | 'platform'>): boolean {
  if (platform === 'darwin' || platform === 'win32' || (env.BROWSER ?? '').trim() !== '') return true
  return [env.DISPLAY, env.WAYLAND_DISPLAY].some((name) => name !== undefined && name !== '')
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
