// Which config file is in force: the one named, else the first found from the project outwards.

import { join, resolve } from 'node:path'
import { type ConfigFiles, realFiles } from './config-files.ts'

export interface FindOptions {
  readonly cwd: string
  readonly home: string
  /** The folder of ours below the user's config folder: `$XDG_CONFIG_HOME/toolcrib`. */
  readonly configDir: string
  /** The file named with `--config`: it alone counts. */
  readonly explicit?: string | undefined
  readonly files?: ConfigFiles | undefined
}

/** Where a config was found: named, in the current folder, in a folder of the user, or nowhere. */
export type ConfigOrigin =
  | { readonly kind: 'explicit' | 'project' | 'user'; readonly file: string }
  | { readonly kind: 'defaults' }

export interface FoundConfig {
  readonly origin: ConfigOrigin
  /** Found as well, and not in force. */
  readonly others: readonly string[]
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
    return { origin: { kind: 'explicit', file }, others: [], candidates: [file] }
  }
  const places = [
    { kind: 'project' as const, stem: join(cwd, '.toolcrib', 'config') },
    { kind: 'project' as const, stem: join(cwd, 'toolcrib.config') },
    { kind: 'user' as const, stem: join(home, '.toolcrib', 'config') },
    { kind: 'user' as const, stem: join(configDir, 'config') },
  ]
  const all = places.flatMap(({ kind, stem }) => ENDINGS.map((ending) => ({ kind, file: `${stem}.${ending}` })))
  // The same folder twice, as when started at home, is one place.
  const candidates = [...new Map(all.map((one) => [one.file, one])).values()]
  const isThere = await Promise.all(candidates.map(({ file }) => files.isFile(file)))
  const [first, ...others] = candidates.filter((_, index) => isThere[index])
  return {
    origin: first ?? { kind: 'defaults' },
    others: others.map(({ file }) => file),
    candidates: candidates.map(({ file }) => file),
  }
}
