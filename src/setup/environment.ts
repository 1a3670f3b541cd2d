// Reads the environment of the process: folders, variables, platform and version.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { mergeVariables } from '../core/variables.ts'
import { cacheDir, configDir, homeFolder, stateDir } from '../storage/paths.ts'
import { readSecrets, secretsFile } from './secrets-file.ts'

export interface Environment {
  readonly version: string
  /** The script of the `toolcrib` command. Every build and every installation changes it. */
  readonly program: string
  readonly cwd: string
  readonly home: string
  readonly platform: NodeJS.Platform
  /** Includes the values of the secrets file; variables of this process take precedence. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The variables of this process. Servers inherit from these, never from the secrets. */
  readonly ownEnv: Readonly<Record<string, string | undefined>>
  /** The names in the secrets file. */
  readonly secretNames: readonly string[]
  readonly stateDir: string
  readonly cacheDir: string
  readonly configDir: string
}

/** The parts of a running command that a change of config files needs. */
export interface SetupJob {
  readonly environment: Environment
  readonly flags: { readonly config?: string }
  /** Prints a line for the user. */
  readonly output: { note(text: string): void }
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal
}

export function readEnvironment(): Environment {
  const { env, platform } = process
  const home = homeFolder()
  const from = { home, platform, env }
  const shared = { configDir: configDir(from), platform }
  return {
    version: readVersion(),
    program: fileURLToPath(new URL('../cli/main.js', import.meta.url)),
    cwd: process.cwd(),
    home,
    ...readVariables(shared),
    stateDir: stateDir(from),
    cacheDir: cacheDir(from),
    ...shared,
  }
}

/** Reads the secrets file again, because it may have changed since this process started. */
export function readVariables(
  environment: Pick<Environment, 'configDir' | 'platform'>,
): Pick<Environment, 'env' | 'ownEnv' | 'secretNames'> {
  const { platform } = environment
  const secrets = readSecrets(secretsFile(environment), platform)
  const env = mergeVariables([secrets, process.env], platform)
  return { env, ownEnv: process.env, secretNames: Object.keys(secrets) }
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return String(version)
}
