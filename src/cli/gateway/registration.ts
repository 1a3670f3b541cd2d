// Registers running gateways: each gateway has a small file with its address in the state folder.

import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { isRecord } from '../../core/is-record.ts'
import { parseJson } from '../../core/json.ts'
import { writeAtomic } from '../../storage/atomic-file.ts'
import { isRunning } from '../../storage/is-running.ts'
import { makeFolder } from '../../storage/make-folder.ts'

export interface Registration {
  readonly pid: number
  /** The path of a socket, or the name of a pipe. */
  readonly address: string
  readonly startedAt: string
  readonly version: string
  /** The key of a shared gateway. Clients with the same key join it. */
  readonly shared?: string
}

/** A new shared gateway must accept connections within this time. It does not wait for its servers to start. */
export const MAX_START_MS = 20_000
/** Below the maximum path length of a Unix socket on all supported systems. The shortest maximum is 104, on macOS. */
const MAX_ADDRESS_BYTES = 100

export function gatewaysDir(stateDir: string): string {
  return join(stateDir, 'gateways')
}

/**
 * The address of the control socket. Its folder is private to this user: a process that can connect can make the
 * gateway reload its config.
 */
export async function chooseAddress(
  stateDir: string,
  pid: number,
  platform: NodeJS.Platform,
  temporaryDir: string,
): Promise<string> {
  if (platform === 'win32') return `\\\\.\\pipe\\toolcrib-${pid}-${randomBytes(8).toString('hex')}`
  const folder = gatewaysDir(stateDir)
  await makeFolder(folder)
  const socketPath = join(folder, `${pid}.sock`)
  if (Buffer.byteLength(socketPath) <= MAX_ADDRESS_BYTES) return socketPath
  // The path is too long for a socket, so the socket goes into a temporary folder.
  const ownDir = join(temporaryDir, `toolcrib-${randomBytes(6).toString('hex')}`)
  await mkdir(ownDir, { mode: 0o700 })
  return join(ownDir, 's')
}

export async function register(stateDir: string, registration: Registration): Promise<void> {
  await writeAtomic(fileOf(stateDir, registration.pid), `${JSON.stringify(registration)}\n`)
}

/** Also removes the socket that a killed process leaves behind, unless it is in a temporary folder. */
export async function unregister(stateDir: string, pid: number): Promise<void> {
  await rm(fileOf(stateDir, pid), { force: true }).catch(() => {})
  await rm(join(gatewaysDir(stateDir), `${pid}.sock`), { force: true }).catch(() => {})
}

export async function readRegistrations(stateDir: string): Promise<readonly Registration[]> {
  const names = await readdir(gatewaysDir(stateDir)).catch(() => [])
  const found = await Promise.all(
    names
      .filter((name) => /^\d+\.json$/.test(name))
      .map(async (name) => {
        const one = await readOne(join(gatewaysDir(stateDir), name))
        // Ignores a file with a wrong name: a process writes only the file that has its own process id as the name.
        return one !== undefined && name === `${one.pid}.json` ? one : undefined
      }),
  )
  return found.filter((one) => one !== undefined)
}

/** Whether the process has ended. A killed process leaves its registration behind. */
export function isGone({ pid }: Pick<Registration, 'pid'>): boolean {
  return !isRunning(pid)
}

/** Whether a shared gateway with this key accepts connections. Removes the registrations of those that do not. */
export async function isSharedRunning(stateDir: string, key: string): Promise<boolean> {
  const all = (await readRegistrations(stateDir)).filter((one) => one.shared === key)
  const found = await Promise.all(
    all.map(async (one) => {
      // An ended process keeps its id until its parent reads its exit code, so the id alone proves nothing.
      if (!isGone(one) && (await canConnect(one))) return true
      await unregister(stateDir, one.pid)
      return false
    }),
  )
  return found.includes(true)
}

function canConnect({ address }: Registration): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(address)
    const finish = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.on('connect', () => finish(true)).on('error', () => finish(false))
  })
}

async function readOne(file: string): Promise<Registration | undefined> {
  const value = parseJson(await readFile(file, 'utf8').catch(() => ''))
  if (!isRecord(value)) return undefined
  const { pid, address, startedAt, version, shared } = value
  if (typeof pid !== 'number' || typeof address !== 'string') return undefined
  const registration = { pid, address, startedAt: String(startedAt), version: String(version) }
  return typeof shared === 'string' ? { ...registration, shared } : registration
}

function fileOf(stateDir: string, pid: number): string {
  return join(gatewaysDir(stateDir), `${pid}.json`)
}
