// How running gateways are found: one small file each below the state folder, which says where it can be reached.

import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '../../core/schema.ts'
import { makeFolder } from '../../storage/make-folder.ts'
import { errorCode } from '../../storage/problem.ts'
import { writeAtomic } from '../../storage/write-atomic.ts'

export interface Registration {
  readonly pid: number
  /** The path of a socket, or the name of a pipe. */
  readonly address: string
  readonly startedAt: string
  readonly version: string
}

/** What the operating systems let a socket's path be. */
const MAX_ADDRESS_BYTES = 100

export function gatewaysDir(stateDir: string): string {
  return join(stateDir, 'gateways')
}

/** Readable by this user alone: whoever can write here can have a gateway look at its config again. */
export async function chooseAddress(
  stateDir: string,
  pid: number,
  platform: NodeJS.Platform,
  temporaryDir: string,
): Promise<string> {
  if (platform === 'win32') return `\\\\.\\pipe\\toolcrib-${pid}-${randomBytes(8).toString('hex')}`
  const folder = gatewaysDir(stateDir)
  await makeFolder(folder)
  const beside = join(folder, `${pid}.sock`)
  if (Buffer.byteLength(beside) <= MAX_ADDRESS_BYTES) return beside
  // A deep state folder leaves no room for a socket; the file that names it is still there.
  const own = join(temporaryDir, `toolcrib-${randomBytes(6).toString('hex')}`)
  await mkdir(own, { mode: 0o700 })
  return join(own, 's')
}

export async function register(stateDir: string, registration: Registration): Promise<void> {
  await writeAtomic(fileOf(stateDir, registration.pid), `${JSON.stringify(registration)}\n`)
}

export async function unregister(stateDir: string, pid: number): Promise<void> {
  await rm(fileOf(stateDir, pid), { force: true }).catch(() => {})
}

export async function readRegistrations(stateDir: string): Promise<readonly Registration[]> {
  const names = await readdir(gatewaysDir(stateDir)).catch(() => [])
  const found = await Promise.all(
    names.filter((name) => /^\d+\.json$/.test(name)).map((name) => readOne(join(gatewaysDir(stateDir), name))),
  )
  return found.filter((one) => one !== undefined)
}

/** Gone, and unable to say so itself. */
export function isGone({ pid }: Registration): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return errorCode(error) === 'ESRCH'
  }
}

async function readOne(file: string): Promise<Registration | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (!isRecord(value)) return undefined
    const { pid, address, startedAt, version } = value
    if (typeof pid !== 'number' || typeof address !== 'string') return undefined
    return { pid, address, startedAt: String(startedAt), version: String(version) }
  } catch {
    return undefined
  }
}

function fileOf(stateDir: string, pid: number): string {
  return join(gatewaysDir(stateDir), `${pid}.json`)
}
