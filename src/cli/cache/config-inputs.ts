// Records the inputs of a configuration: the files that were looked up, found or not, and the variables that were read.

import { join } from 'node:path'
import type { ConfigFiles } from '../../config/config-files.ts'
import { fingerprint } from '../../core/hash.ts'
import { readVariable } from '../../core/variables.ts'
import { stampOf } from '../../storage/file-stamp.ts'

type Env = Readonly<Record<string, string | undefined>>

export interface ConfigInputs {
  /** The stamp of each file, taken before it was read. */
  readonly files: Readonly<Record<string, string>>
  /** Fingerprints instead of values, because a variable may contain a secret. */
  readonly env: Readonly<Record<string, string>>
}

interface InputRecorder {
  readonly files: ConfigFiles
  readonly env: Env
  /** Records a file that is not read through `files`. */
  note(path: string): void
  /** Undefined if the reader listed all of `env`, because then any variable may matter. */
  inputs(): ConfigInputs | undefined
}

export function recordInputs(files: ConfigFiles, env: Env): InputRecorder {
  const stamps: Record<string, string> = {}
  const values: Record<string, string> = {}
  let isEnvListed = false
  const note = (path: string) => {
    stamps[path] ??= stampOf(path)
  }
  const noteVariable = (name: string | symbol) => {
    if (typeof name === 'string') values[name] = fingerprintOf(env, name)
  }
  return {
    note,
    files: {
      isFile(path) {
        note(path)
        return files.isFile(path)
      },
      isLocked(folder) {
        // The stamp of any path in a folder tells whether the folder can be entered. The stamp of the folder itself would
        // also change with each file in it.
        note(join(folder, 'any-name'))
        return files.isLocked(folder)
      },
      readText(path) {
        note(path)
        return files.readText(path)
      },
      readGuarded(path, maxBytes) {
        note(path)
        return files.readGuarded(path, maxBytes)
      },
      realPath: (path) => files.realPath(path),
    },
    env: new Proxy(env, {
      get(target, name) {
        noteVariable(name)
        return Reflect.get(target, name)
      },
      has(target, name) {
        noteVariable(name)
        return Reflect.has(target, name)
      },
      getOwnPropertyDescriptor(target, name) {
        noteVariable(name)
        return Reflect.getOwnPropertyDescriptor(target, name)
      },
      ownKeys(target) {
        isEnvListed = true
        return Reflect.ownKeys(target)
      },
    }),
    inputs: () => (isEnvListed ? undefined : { files: stamps, env: values }),
  }
}

/** Whether all recorded files and variables are the same as when they were recorded. */
export function areUnchanged({ files, env }: ConfigInputs, now: Env): boolean {
  return (
    Object.entries(env).every(([name, value]) => fingerprintOf(now, name) === value) &&
    Object.entries(files).every(([path, stamp]) => stampOf(path) === stamp)
  )
}

/** Empty for an unset variable. */
function fingerprintOf(env: Env, name: string): string {
  const value = readVariable(env, name)
  return value === undefined ? '' : fingerprint(`=${value}`)
}
