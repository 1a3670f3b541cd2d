// Finds the config of the user (given explicitly, or the first found) and the config of the current folder.

import { join, resolve } from 'node:path'
import { type ConfigFiles, realFiles } from './config-files.ts'
import { expandHome } from './paths.ts'

export interface FindConfigOptions {
  readonly cwd: string
  readonly home: string
  /** Our folder for config files of the user, such as `~/.config/toolcrib`. */
  readonly configDir: string
  /** The file given with `--config`. It replaces all other files. */
  readonly explicit?: string | undefined
  readonly files?: ConfigFiles | undefined
}

/** The origin of the user config: given explicitly, found in a folder of the user, or no file at all. */
export type ConfigOrigin = { readonly kind: 'explicit' | 'user'; readonly file: string } | { readonly kind: 'defaults' }

export interface FoundConfig {
  readonly origin: ConfigOrigin
  /** The config of the current folder. Someone else may have written it, so it needs an approval. */
  readonly project: string | undefined
  /** Config files that are not used, because another file of the user, or of the project, has precedence. */
  readonly others: readonly { readonly file: string; readonly first: string }[]
  /** All files that change the result if they are created or removed. */
  readonly candidates: readonly string[]
}

const ENDINGS = ['ts', 'js', 'mjs', 'json', 'jsonc', 'yaml', 'yml']

export async function findConfig(options: FindConfigOptions): Promise<FoundConfig> {
  const { cwd, home, configDir, explicit, files = realFiles } = options
  if (explicit !== undefined) {
    const file = resolve(cwd, expandHome(explicit, home))
    return { origin: { kind: 'explicit', file }, project: undefined, others: [], candidates: [file] }
  }
  const userFolders = [join(home, '.toolcrib'), configDir]
  const ofUser = userFolders.flatMap((folder) => withEndings(join(folder, 'config')))
  const ofProject = withEndings(join(cwd, '.toolcrib', 'config'), join(cwd, 'toolcrib.config'))
  const existing = async (paths: readonly string[]) => {
    const isExisting = await Promise.all(paths.map((path) => files.isFile(path)))
    return paths.filter((_, index) => isExisting[index])
  }
  const userFiles: string[] = []
  for (const folder of userFolders) {
    userFiles.push(...(await existing(withEndings(join(folder, 'config')))))
    if (userFiles.length > 0 || !(await files.isLocked(folder))) continue
    // Servers must not start without the rules in a config that cannot be read.
    userFiles.push(join(folder, 'config.json'))
    break
  }
  const [file = '', ...otherUser] = userFiles
  // In the home folder, ~/.toolcrib/config.* belongs to the user. `cwd` may be a link to home, so compare real paths.
  const own = new Set(ofUser.flatMap((path) => [path, files.realPath(path)]))
  const projectFiles = (await existing(ofProject)).filter((path) => !own.has(files.realPath(path)))
  const [project = '', ...otherProject] = projectFiles
  return {
    origin: file === '' ? { kind: 'defaults' } : { kind: 'user', file },
    project: project === '' ? undefined : project,
    others: [
      ...otherProject.map((other) => ({ file: other, first: project })),
      ...otherUser.map((other) => ({ file: other, first: file })),
    ],
    candidates: [...new Set([...ofProject, ...ofUser])],
  }
}

function withEndings(...stems: readonly string[]): string[] {
  return stems.flatMap((stem) => ENDINGS.map((ending) => `${stem}.${ending}`))
}
