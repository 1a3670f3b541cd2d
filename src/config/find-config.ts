// Finds the config files: the user's (the one named, else the first found), and the one that the current folder brings.

import { join, resolve } from 'node:path'
import { type ConfigFiles, realFiles } from './config-files.ts'

export interface FindOptions {
  readonly cwd: string
  readonly home: string
  /** Our folder below the user's config folder: `$XDG_CONFIG_HOME/toolcrib`. */
  readonly configDir: string
  /** The file named with `--config`: no other is looked at. */
  readonly explicit?: string | undefined
  readonly files?: ConfigFiles | undefined
}

/** Where the user's config was found: named, in a folder of the user, or nowhere. */
export type ConfigOrigin = { readonly kind: 'explicit' | 'user'; readonly file: string } | { readonly kind: 'defaults' }

export interface FoundConfig {
  readonly origin: ConfigOrigin
  /** The file of the current folder. Someone else may have written it, so it needs an approval. */
  readonly project: string | undefined
  /** Found as well, and not used, because another of the same owner comes first. */
  readonly others: readonly { readonly file: string; readonly first: string }[]
  /** Every file whose coming or going would change the answer. */
  readonly candidates: readonly string[]
}

const ENDINGS = ['ts', 'js', 'mjs', 'json', 'jsonc', 'yaml', 'yml']

export async function findConfig(options: FindOptions): Promise<FoundConfig> {
  const { cwd, home, configDir, explicit, files = realFiles } = options
  if (explicit !== undefined) {
    const file = resolve(
      cwd,
      explicit.replace(/^~(?=$|[\\/])/, () => home),
    )
    return { origin: { kind: 'explicit', file }, project: undefined, others: [], candidates: [file] }
  }
  const ofUser = withEndings(join(home, '.toolcrib', 'config'), join(configDir, 'config'))
  const ofProject = withEndings(join(cwd, '.toolcrib', 'config'), join(cwd, 'toolcrib.config'))
  const isThere = async (paths: readonly string[]) => {
    const there = await Promise.all(paths.map((path) => files.isFile(path)))
    return paths.filter((_, index) => there[index])
  }
  const [file = '', ...otherUser] = await isThere(ofUser)
  // In the home folder, ~/.toolcrib/config.* is the user's own; by real path, since a link may lead there.
  const own = new Set(ofUser.flatMap((path) => [path, files.realPath(path)]))
  const brought = (await isThere(ofProject)).filter((path) => !own.has(files.realPath(path)))
  const [project = '', ...otherProject] = brought
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
