// The files of the catalog cache. A pointer file maps a folder and its configuration to a catalog file.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprint } from '../../core/fingerprint.ts'
import { isRecord } from '../../core/is-record.ts'
import type { Environment } from '../../setup/environment.ts'
import { stampOf } from '../../storage/file-stamp.ts'
import type { ConfigInputs } from './config-inputs.ts'

export interface CatalogPointer {
  /** See `cacheConditions`. */
  readonly conditions: readonly string[]
  readonly inputs: ConfigInputs
  /** The key of the catalog for this configuration. */
  readonly catalog: string
}

export const POINTER_SUFFIX = '.pointer.json'
export const CATALOG_SUFFIX = '.catalog'

export function catalogCacheDir({ cacheDir }: Pick<Environment, 'cacheDir'>): string {
  return join(cacheDir, 'known')
}

export function catalogFile(environment: Pick<Environment, 'cacheDir'>, key: string): string {
  return join(catalogCacheDir(environment), `${key}${CATALOG_SUFFIX}`)
}

export function pointerFile(environment: Environment, config: string | undefined): string {
  const name = fingerprint(JSON.stringify(locationOf(environment, config)))
  return join(catalogCacheDir(environment), `${name}${POINTER_SUFFIX}`)
}

/** All conditions of a cached answer besides files and variables: the program, the folders and the config file. */
export function cacheConditions(environment: Environment, config: string | undefined): readonly string[] {
  return [...programId(environment), ...locationOf(environment, config)]
}

/** A new build may read and rank differently. The cache stores numbers in the byte order of this machine. */
export function programId({ version, program }: Pick<Environment, 'version' | 'program'>): readonly string[] {
  return [version, stampOf(program), process.arch]
}

/** Undefined if the pointer file is missing or not valid. */
export function readPointer(path: string): CatalogPointer | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isPointer(read) ? read : undefined
  } catch {
    return undefined
  }
}

function locationOf({ cwd, home, configDir, stateDir, platform }: Environment, config: string | undefined): string[] {
  // `cwd` matters even with --config, because that path may be relative.
  return [cwd, home, configDir, stateDir, platform, config ?? '']
}

function isPointer(value: unknown): value is CatalogPointer {
  if (!isRecord(value) || typeof value.catalog !== 'string' || !/^[0-9a-f]+$/.test(value.catalog)) return false
  return Array.isArray(value.conditions) && isRecord(value.inputs) && isInputs(value.inputs)
}

function isInputs({ files, env }: Readonly<Record<string, unknown>>): boolean {
  return isRecord(files) && isRecord(env)
}
