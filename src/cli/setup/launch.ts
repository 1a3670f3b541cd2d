// The command line with which a client starts this gateway: one that works from wherever the gateway was installed.

import { access, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Launch } from '../../config/imports/client-writer.ts'
import { OWN_NAME } from '../../config/write-client.ts'
import { raise } from '../../core/errors.ts'
import type { Work } from '../work.ts'
import type { InstallFlags } from './flags.ts'

export async function launchOf({ environment, flags }: Work, { command }: InstallFlags): Promise<Launch> {
  // The client starts it in a folder of its own choice.
  const more = flags.config === undefined ? [] : ['--config', fromAnywhere(flags.config, environment.cwd)]
  const { command: program, args } =
    command === undefined ? await ownLaunch(process.argv[1] ?? '', environment.platform) : readCommand(command)
  return { command: program, args: [...args, ...more] }
}

function fromAnywhere(file: string, cwd: string): string {
  return file.startsWith('~') ? file : resolve(cwd, file)
}

/** `script`: what was started as this program. */
export async function ownLaunch(script: string, platform: NodeJS.Platform): Promise<Launch> {
  const file = await realpath(script).catch(() => script)
  if (!(await isFetched(file))) return { command: 'node', args: [file, 'serve'] }
  const args = ['-y', OWN_NAME, 'serve']
  // Windows starts no script without its shell.
  return platform === 'win32' ? { command: 'cmd', args: ['/c', 'npx', ...args] } : { command: 'npx', args }
}

/** By npx, or installed for all projects: what `npx` finds again. A clone and a project's own copy are not that. */
async function isFetched(file: string): Promise<boolean> {
  if (/[\\/]_npx[\\/]/.test(file)) return true
  const [, folder] = /^(.*)[\\/]node_modules[\\/]toolcrib[\\/]/.exec(file) ?? []
  if (folder === undefined) return false
  if (/[\\/](?:pnpm|yarn|data|install)[\\/]global(?:[\\/]|$)/i.test(folder)) return true
  // Where npm keeps what is global; a project of that name has a package.json.
  return /[\\/](?:lib|npm)$/.test(folder) && !(await isThere(join(folder, 'package.json')))
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/** As a shell splits it: at spaces, with quotes around words that hold some. */
function readCommand(line: string): Launch {
  const words = [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  )
  const [command, ...args] = words
  if (command !== undefined && command !== '') return { command, args }
  return raise('INVALID_ARGUMENTS', {
    reason: `--command takes the whole command line that starts the gateway, as in "npx -y ${OWN_NAME} serve"`,
    command: 'toolcrib install',
  })
}
