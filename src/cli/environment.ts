// What the command line knows of the machine: read here, once, and handed on.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { mergeVariables } from '../core/variables.ts'
import { cacheDir, configDir, stateDir } from '../storage/paths.ts'
import { readSecrets, secretsFile } from './secrets-file.ts'

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
  const places = { configDir: configDir(from), platform }
  return {
    version: readVersion(),
    program: fileURLToPath(new URL('./main.js', import.meta.url)),
    cwd: process.cwd(),
    home,
    env: readVariables(places),
    stateDir: stateDir(from),
    cacheDir: cacheDir(from),
    ...places,
  }
}

/** As they are now: the file of secrets may have changed since this process was started. */
export function readVariables({
  configDir,
  platform,
}: Pick<Environment, 'configDir' | 'platform'>): Environment['env'] {
  return mergeVariables([readSecrets(secretsFile({ configDir }), platform), process.env], platform)
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return String(version)
}
