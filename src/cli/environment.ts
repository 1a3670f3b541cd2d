// What the command line knows of the machine: read here, once, and handed on.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDir, configDir, stateDir } from '../storage/paths.ts'
import { readSecrets } from './secrets-file.ts'

export interface Environment {
  readonly version: string
  /** The file that was started: another one after every build and every installation. */
  readonly program: string
  readonly cwd: string
  readonly home: string
  readonly platform: NodeJS.Platform
  /** With the values that `toolcrib import` put aside; what is set for this process weighs more. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stateDir: string
  readonly cacheDir: string
  readonly configDir: string
}

export function readEnvironment(): Environment {
  const { env, platform } = process
  const home = homedir()
  const from = { home, platform, env }
  const ownConfigDir = configDir(from)
  return {
    version: readVersion(),
    program: fileURLToPath(new URL('./main.js', import.meta.url)),
    cwd: process.cwd(),
    home,
    platform,
    env: { ...readSecrets(join(ownConfigDir, 'secrets.env'), platform), ...env },
    stateDir: stateDir(from),
    cacheDir: cacheDir(from),
    configDir: ownConfigDir,
  }
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return String(version)
}
