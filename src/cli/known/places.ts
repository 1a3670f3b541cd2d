// Where what is known is kept between two commands, and for whom: a place says which catalog holds for a folder.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprint } from '../../core/fingerprint.ts'
import { isRecord } from '../../core/is-record.ts'
import { stampOf } from '../../storage/file-stamp.ts'
import type { Environment } from '../environment.ts'
import type { Grounds } from './grounds.ts'

export interface Place {
  /** Who made it, and for what: see `circumstancesOf`. */
  readonly circumstances: readonly string[]
  readonly grounds: Grounds
  /** The key of the catalog that this configuration gives. */
  readonly catalog: string
}

export const PLACE_ENDING = '.place.json'
export const CATALOG_ENDING = '.catalog'

export function knownDir({ cacheDir }: Pick<Environment, 'cacheDir'>): string {
  return join(cacheDir, 'known')
}

/** Where failed starts are remembered. */
export function failuresFile(cacheDir: string): string {
  return join(cacheDir, 'unreachable.json')
}

export function catalogFile(environment: Pick<Environment, 'cacheDir'>, key: string): string {
  return join(knownDir(environment), `${key}${CATALOG_ENDING}`)
}

export function placeFile(environment: Environment, config: string | undefined): string {
  return join(knownDir(environment), `${fingerprint(JSON.stringify(whereabouts(environment, config)))}${PLACE_ENDING}`)
}

/** Everything besides files and variables that could make another answer of the same words. */
export function circumstancesOf(environment: Environment, config: string | undefined): readonly string[] {
  return [...makerOf(environment), ...whereabouts(environment, config)]
}

/** A program that was built or installed anew may read and rank otherwise. Numbers are kept as this machine has them. */
export function makerOf({ version, program }: Pick<Environment, 'version' | 'program'>): readonly string[] {
  return [version, stampOf(program), process.arch]
}

/** Undefined where there is none, or none that makes sense. */
export function readPlace(path: string): Place | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isPlace(read) ? read : undefined
  } catch {
    return undefined
  }
}

function whereabouts({ cwd, home, configDir, stateDir, platform }: Environment, config: string | undefined): string[] {
  // The folder matters also with a file named: that may be a relative one.
  return [cwd, home, configDir, stateDir, platform, config ?? '']
}

function isPlace(value: unknown): value is Place {
  if (!isRecord(value) || typeof value.catalog !== 'string' || !/^[0-9a-f]+$/.test(value.catalog)) return false
  return Array.isArray(value.circumstances) && isRecord(value.grounds) && isGrounds(value.grounds)
}

function isGrounds({ files, env }: Readonly<Record<string, unknown>>): boolean {
  return isRecord(files) && isRecord(env)
}
