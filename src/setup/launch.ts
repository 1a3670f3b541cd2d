// Creates the command line with which a client starts this gateway. It works from any folder and without the network.

import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Launch } from '../config/imports/importer.ts'
import { raise } from '../core/errors.ts'
import type { SetupJob } from './environment.ts'
import { OWN_NAME } from './files/write-client.ts'

interface LaunchOptions {
  /** The whole command line, chosen by the user. */
  readonly command?: string
  /** The name of a client that joins the shared gateway. */
  readonly sharedBy?: string | undefined
}

export async function launchOf(
  { environment, flags }: SetupJob,
  { command, sharedBy }: LaunchOptions,
): Promise<Launch> {
  // The path is made absolute, because the client starts the gateway in a folder of its own choice.
  const { config } = flags
  const configArgs =
    config === undefined ? [] : ['--config', config.startsWith('~') ? config : resolve(environment.cwd, config)]
  if (command !== undefined) {
    const chosen = readCommand(command)
    return { ...chosen, args: [...chosen.args, ...configArgs] }
  }
  const sharedArgs = sharedBy === undefined ? [] : ['--shared', '--client', sharedBy]
  const { platform, version } = environment
  const own = await ownProgram({ script: process.argv[1] ?? '', node: process.execPath, platform, version })
  return { ...own, args: [...own.args, 'serve', ...sharedArgs, ...configArgs] }
}

interface StartedProgram {
  /** The path of the started script. */
  readonly script: string
  /** The path of the running Node.js. */
  readonly node: string
  readonly platform: NodeJS.Platform
  readonly version: string
}

/**
 * Returns the command line of this program. Both paths are absolute: the client may have another PATH, and a name that
 * is looked up in it could be another program. Only a program in the cache of npx is started by npx, because
 * that folder is temporary. With the exact version, npx uses the program in its cache and not a later version.
 */
export async function ownProgram({ script, node, platform, version }: StartedProgram): Promise<Launch> {
  const file = await realpath(script).catch(() => script)
  if (!/[\\/]_npx[\\/]/.test(file)) return { command: await stablePath(node), args: [await stablePath(file)] }
  const args = ['-y', `${OWN_NAME}@${version}`]
  // Windows needs a shell to start a script such as npx.
  return platform === 'win32' ? { command: 'cmd', args: ['/c', 'npx', ...args] } : { command: 'npx', args }
}

/** Folders with a version in their name, which an update removes, and the link to the current version of each. */
const VERSIONED: readonly (readonly [folder: RegExp, link: string])[] = [
  // Homebrew
  [/[\\/]Cellar[\\/]([^\\/]+)[\\/][^\\/]+(?=[\\/])/, '/opt/$1'],
  // Snap
  [/^\/snap\/([^/]+)\/[^/]+(?=\/)/, '/snap/$1/current'],
  // pnpm, in a project and global
  [/(?:[\\/]node_modules)?[\\/]\.pnpm[\\/][^\\/]+(?=[\\/]node_modules[\\/])/, ''],
]

/** The path of the same file without a version. It stays valid after an update. */
async function stablePath(path: string): Promise<string> {
  for (const [folder, link] of VERSIONED) {
    const candidate = path.replace(folder, link)
    if (candidate === path) continue
    const [one, other] = await Promise.all([realpath(candidate), realpath(path)]).catch(() => [])
    if (one !== undefined && one === other) return candidate
  }
  return path
}

/** Splits a line as a shell does: at spaces, except inside quotes. */
function readCommand(line: string): Launch {
  const words = [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  )
  const [command, ...args] = words
  if (command !== undefined && command !== '') return { command, args }
  return raise('INVALID_ARGUMENTS', {
    reason: `--command takes the whole command line that starts the gateway, as in "${OWN_NAME} serve"`,
    command: 'toolcrib install',
  })
}
