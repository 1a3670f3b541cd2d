// A home of its own for one gateway: config, state and cache below one temporary folder, and nothing of the user's.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

export interface Home {
  readonly path: string
  /** The config file that `--config` names. */
  readonly config: string
  readonly state: string
  readonly cache: string
  /** What a program sees that was started by this user. */
  readonly env: Readonly<Record<string, string>>
  /** The path of a file in it, whether or not there is one. */
  at(...parts: readonly string[]): string
  /** Writes a text, or JSON, and gives its path. */
  write(path: string, content: unknown): string
  /** Every file below a folder of it, by its path. */
  files(folder?: string): readonly string[]
  /** The lines of a file; none where there is no file. */
  lines(path: string): readonly string[]
  remove(): void
}

/** For one scenario, and gone after it. */
export function homeForTest(): Home {
  const home = createHome()
  onTestFinished(() => home.remove())
  return home
}

/** For a whole suite of scenarios, and gone after it. */
export function useHome(): Home {
  const home = createHome()
  afterAll(() => home.remove())
  return home
}

export function createHome(): Home {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'crib-e2e-')))
  const at = (...parts: readonly string[]) => join(path, ...parts)
  return {
    path,
    config: at('gateway.json'),
    state: at('state', 'toolcrib'),
    cache: at('cache', 'toolcrib'),
    env: {
      PATH: process.env.PATH ?? '',
      HOME: path,
      TMPDIR: tmpdir(),
      XDG_STATE_HOME: at('state'),
      XDG_CACHE_HOME: at('cache'),
      XDG_CONFIG_HOME: at('config'),
    },
    at,
    write(name, content) {
      const file = at(name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
      return file
    },
    files(folder = path) {
      if (!existsSync(folder)) return []
      const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
      return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    },
    lines: (name) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8').split('\n').filter(Boolean) : []),
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
