// Stores what `install` wrote into the file of each client, and recognises our own entry there by this record.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Launch } from '../config/imports/importer.ts'
import { isSelf } from '../config/self.ts'
import { raise } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { parseJson } from '../core/json.ts'
import { writeAtomic } from '../storage/atomic-file.ts'
import type { ClientFileToChange } from './client-file.ts'
import { type ClientEntry, ownEntries } from './files/write-client.ts'

interface Installation extends Launch {
  /** The client's config file. */
  readonly file: string
  /** Earlier versions stored neither this field nor the fields below. */
  readonly client?: string
  /** The folder in which `install` ran. Claude Code keeps servers per folder in one file. */
  readonly cwd?: string
  /** The config that the gateway uses in this client. */
  readonly config?: string
  /** The client's servers, by their names in that config. */
  readonly servers?: readonly string[]
  /** Whether the file did not exist before, so that the client had no servers. */
  readonly isNewFile?: boolean
}

type CompleteInstallation = Required<Omit<Installation, 'isNewFile'>> & Pick<Installation, 'isNewFile'>

const MAX_INSTALLATIONS = 200

/** A failed write is ignored: `uninstall` also recognises our entry if there are backups of the client's file. */
export async function rememberInstalled(stateDir: string, installed: CompleteInstallation): Promise<void> {
  const before = await readInstallations(stateDir)
  const isSame = (one: Installation) => isDeepStrictEqual(identityOf(one), identityOf(installed))
  const all = [...before.filter(isSame), installed]
  const servers = [...new Set(all.flatMap((one) => one.servers ?? []))]
  const isNewFile = installed.isNewFile ?? all.some((one) => one.isNewFile === true)
  const next = { ...installed, servers, isNewFile }
  const others = before
    .filter((one) => !isSame(one))
    // A file with a backup had servers, also for installations in other folders or with other configs.
    .map((one) => (one.file === installed.file && installed.isNewFile === false ? { ...one, isNewFile: false } : one))
  const stored = [...others, next].slice(-MAX_INSTALLATIONS)
  if (isDeepStrictEqual(stored, before)) return
  await writeAtomic(installedFile(stateDir), `${JSON.stringify(stored, null, 2)}\n`).catch(() => {})
}

/** Ordered from the oldest to the newest. An unreadable store counts as empty. */
export async function readInstallations(stateDir: string): Promise<readonly Installation[]> {
  const stored = parseJson(await readFile(installedFile(stateDir), 'utf8').catch(() => ''))
  return Array.isArray(stored) ? stored.filter(isInstallation) : []
}

function identityOf({ file, command, args, cwd, config }: Installation): unknown {
  return [file, command, args, cwd, config]
}

function installedFile(stateDir: string): string {
  return join(stateDir, 'installed.json')
}

function isInstallation(value: unknown): value is Installation {
  if (!isRecord(value)) return false
  const { file, command, args, client, cwd, config, servers = [], isNewFile = false } = value
  const isTexts = (list: unknown) => Array.isArray(list) && list.every((word) => typeof word === 'string')
  return (
    typeof file === 'string' &&
    typeof command === 'string' &&
    isTexts(args) &&
    [client, cwd, config].every((text) => text === undefined || typeof text === 'string') &&
    isTexts(servers) &&
    typeof isNewFile === 'boolean'
  )
}

/** The command line of an entry: a command with arguments, or both in one list. */
export function launchIn({ value }: ClientEntry): Launch | undefined {
  if (!isRecord(value)) return undefined
  const words = [
    ...(Array.isArray(value.command) ? value.command : [value.command]),
    ...(Array.isArray(value.args) ? value.args : []),
  ]
  const isText = words.every((word): word is string => typeof word === 'string')
  const [command, ...args] = isText ? words : []
  return command === undefined ? undefined : { command, args }
}

/** An entry is ours if it runs this program, or if `install` wrote its command line, even one from `--command`. */
export type IsOurs = (entry: ClientEntry) => boolean

export async function ownershipIn(file: string, stateDir: string): Promise<IsOurs> {
  const installed = (await readInstallations(stateDir)).filter((one) => one.file === file)
  return (entry) => {
    const launch = launchIn(entry)
    if (launch === undefined) return false
    const isInstalled = installed.some(({ command, args }) => isDeepStrictEqual({ command, args }, launch))
    return isInstalled || isSelf({ type: 'stdio', env: {}, ...launch })
  }
}

/** Raises if an entry with our name is not ours. */
export function checkOwn({ document, file }: ClientFileToChange, isOurs: IsOurs, todo: string): void {
  const foreign = ownEntries(document).find((entry) => !isOurs(entry))
  if (foreign === undefined) return
  raise('CONFIG_UNWRITABLE', { file, reason: `its server '${foreign.name}' is not this gateway`, todo })
}
