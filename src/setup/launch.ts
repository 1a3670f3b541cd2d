// The command line with which a client starts this gateway. It works from any folder.

import { access, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Launch } from '../config/imports/client-writer.ts'
import { raise } from '../core/errors.ts'
import type { SetupJob } from './environment.ts'
import { OWN_NAME } from './files/write-client.ts'

export async function launchOf(
  { environment, flags }: SetupJob,
  { command }: { readonly command?: string },
): Promise<Launch> {
  // The path is made absolute, because the client starts the gateway in a folder of its own choice.
  const more = flags.config === undefined ? [] : ['--config', absolutePath(flags.config, environment.cwd)]
  const { command: program, args } =
    command === undefined ? await ownLaunch(process.argv[1] ?? '', environment.platform) : readCommand(command)
  return { command: program, args: [...args, ...more] }
}

function absolutePath(file: string, cwd: string): string {
  return file.startsWith('~') ? file : resolve(cwd, file)
}

/** `script` is the path of the started program. */
export async function ownLaunch(script: string, platform: NodeJS.Platform): Promise<Launch> {
  const file = await realpath(script).catch(() => script)
  if (!(await isFoundByNpx(file))) return { command: 'node', args: [file, 'serve'] }
  const args = ['-y', OWN_NAME, 'serve']
  // Windows needs a shell to start a script such as npx.
  return platform === 'win32' ? { command: 'cmd', args: ['/c', 'npx', ...args] } : { command: 'npx', args }
}

/** Whether `npx` finds this installation: fetched by npx or installed globally, not a clone or a project's own copy. */
async function isFoundByNpx(file: string): Promise<boolean> {
  if (/[\\/]_npx[\\/]/.test(file)) return true
  const [, folder] = /^(.*)[\\/]node_modules[\\/]toolcrib[\\/]/.exec(file) ?? []
  if (folder === undefined) return false
  if (/[\\/](?:pnpm|yarn|data|install)[\\/]global(?:[\\/]|$)/i.test(folder)) return true
  // npm installs global packages below `lib` or `npm`; a project with that name has a package.json.
  return /[\\/](?:lib|npm)$/.test(folder) && !(await exists(join(folder, 'package.json')))
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/** Splits a line as a shell does: at spaces, except inside quotes. */
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
