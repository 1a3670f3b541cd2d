// What a configuration was read from: the files that were looked at, found or not, and the variables that were asked for.

import type { ConfigFiles } from '../../config/config-files.ts'
import { fingerprint } from '../../core/fingerprint.ts'
import { readVariable } from '../../core/variables.ts'
import { stampOf } from '../../storage/file-stamp.ts'

type Env = Readonly<Record<string, string | undefined>>

export interface Grounds {
  /** The stamp of each file before it was read. */
  readonly files: Readonly<Record<string, string>>
  /** Fingerprints of values: what a variable holds may be nobody's business. */
  readonly env: Readonly<Record<string, string>>
}

export interface GroundsRecorder {
  readonly files: ConfigFiles
  readonly env: Env
  /** A file that is read some other way. */
  note(path: string): void
  /** Undefined where it cannot be told what was asked for. */
  grounds(): Grounds | undefined
}

export function recordGrounds(files: ConfigFiles, env: Env): GroundsRecorder {
  const stamps: Record<string, string> = {}
  const values: Record<string, string> = {}
  let askedForAll = false
  const note = (path: string) => {
    stamps[path] ??= stampOf(path)
  }
  return {
    note,
    files: {
      isFile(path) {
        note(path)
        return files.isFile(path)
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
        if (typeof name === 'string') values[name] = markOf(target, name)
        return Reflect.get(target, name)
      },
      has(target, name) {
        if (typeof name === 'string') values[name] = markOf(target, name)
        return Reflect.has(target, name)
      },
      ownKeys(target) {
        askedForAll = true
        return Reflect.ownKeys(target)
      },
    }),
    grounds: () => (askedForAll ? undefined : { files: stamps, env: values }),
  }
}

/** Whether everything is as it was then. */
export function holds({ files, env }: Grounds, now: Env): boolean {
  return (
    Object.entries(env).every(([name, value]) => markOf(now, name) === value) &&
    Object.entries(files).every(([path, stamp]) => stampOf(path) === stamp)
  )
}

function markOf(env: Env, name: string): string {
  const value = readVariable(env, name)
  return value === undefined ? '' : fingerprint(`=${value}`)
}
