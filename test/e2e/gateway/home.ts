// A temporary home folder for gateways, with their config, state and cache. It contains no files of the real user.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import { removeFolder } from '../../../src/storage/remove-folder.fixture.ts'

export interface GatewayHome {
  readonly path: string
  /** The config file that `--config` names. */
  readonly config: string
  readonly state: string
  readonly cache: string
  /** The environment of a program that runs in this home. */
  readonly env: Readonly<Record<string, string>>
  /** The path of a file in the home, which may not exist. */
  at(...parts: readonly string[]): string
  /** Writes a text, or a value as JSON, and returns the path. */
  write(path: string, content: unknown): string
  /** The paths of all files below a folder. */
  files(folder?: string): readonly string[]
  /** The lines of a file; an empty list if it does not exist. */
  lines(path: string): readonly string[]
  /** Call it when the programs that use the home have ended. */
  remove(): Promise<void>
}

/** Creates a home for one test and removes it afterwards. */
export function homeForTest(): GatewayHome {
  const home = createHome()
  onTestFinished(() => home.remove())
  return home
}

/** Creates a home for a suite and removes it afterwards. */
export function useHome(): GatewayHome {
  const home = createHome()
  afterAll(() => home.remove())
  return home
}

export function createHome(): GatewayHome {
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
    remove: () => removeFolder(path),
  }
}
