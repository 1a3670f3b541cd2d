// Stores the command lines that `install` wrote, by file, to recognise our own entries.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Launch } from '../config/imports/client-writer.ts'
import { isRecord } from '../core/is-record.ts'
import { writeAtomic } from '../storage/write-atomic.ts'

interface Installation {
  /** The client's config file. */
  readonly file: string
  readonly command: string
  readonly args: readonly string[]
}

const MAX_INSTALLATIONS = 200

/** The command lines that were installed into this file. An unreadable store counts as empty. */
export async function installedLaunches(stateDir: string, file: string): Promise<readonly Launch[]> {
  return (await readInstallations(stateDir)).filter((one) => one.file === file)
}

/** Ignores a failed write: then only the backups of the file show what was installed. */
export async function rememberInstalled(stateDir: string, file: string, launch: Launch): Promise<void> {
  const wanted = installation(file, launch)
  const others = (await readInstallations(stateDir)).filter((one) => !isDeepStrictEqual(one, wanted))
  const stored = [...others, wanted].slice(-MAX_INSTALLATIONS)
  await writeAtomic(installedFile(stateDir), `${JSON.stringify(stored, null, 2)}\n`).catch(() => {})
}

async function readInstallations(stateDir: string): Promise<readonly Installation[]> {
  try {
    const stored: unknown = JSON.parse(await readFile(installedFile(stateDir), 'utf8'))
    return Array.isArray(stored) ? stored.filter(isInstallation) : []
  } catch {
    return []
  }
}

function installation(file: string, { command, args }: Launch): Installation {
  return { file, command, args: [...args] }
}

function installedFile(stateDir: string): string {
  return join(stateDir, 'installed.json')
}

function isInstallation(value: unknown): value is Installation {
  return (
    isRecord(value) &&
    typeof value.file === 'string' &&
    typeof value.command === 'string' &&
    Array.isArray(value.args) &&
    value.args.every((word) => typeof word === 'string')
  )
}
