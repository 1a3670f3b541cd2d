// Joins the shared gateway of this user over its control socket. Starts the gateway if it does not run.

import { spawn } from 'node:child_process'
import { createConnection, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { quoteList } from '../../core/text.ts'
import type { Environment } from '../../setup/environment.ts'
import { isGone, type Registration, readRegistrations, unregister } from './registration.ts'
import { differingVariables, joinRequest, readJoinReply } from './shared-handshake.ts'
import type { SharedTarget } from './shared-target.ts'

/** A new gateway must accept connections within this time. It does not wait for its servers to start. */
export const MAX_START_MS = 20_000
/** A gateway that runs answers in a few milliseconds. */
const MAX_REPLY_MS = 4_000
const RETRY_MS = 25

/** A reason to serve this client alone. The text completes the sentence "serving this client alone: …". */
export class CannotShare extends Error {}

/**
 * Rejects with CannotShare if the running gateway has another version, has other values of variables or does not
 * answer, or if no gateway can be started.
 */
export async function joinShared(environment: Environment, target: SharedTarget): Promise<Socket> {
  const until = Date.now() + MAX_START_MS
  let isStarting = false
  let startFailure: string | undefined
  while (Date.now() < until) {
    const running = await findShared(environment.stateDir, target.key)
    if (running !== undefined) {
      if (running.version !== environment.version) {
        const versions = `the shared gateway (process ${running.pid}) is version ${running.version}, and this process is version ${environment.version}`
        throw new CannotShare(`${versions}; restart all clients to use one version`)
      }
      const socket = await join(running, target.client, environment.ownEnv)
      if (socket !== undefined) return socket
    }
    if (!isStarting) {
      isStarting = true
      startGateway(environment, target, (reason) => {
        // Without a reason, the process was killed, or another gateway was faster. The next round tries again.
        isStarting = false
        startFailure = reason
      })
    }
    if (startFailure !== undefined) throw new CannotShare(startFailure)
    await sleep(RETRY_MS)
  }
  throw new CannotShare(`the shared gateway did not start within ${MAX_START_MS / 1_000} s`)
}

async function findShared(stateDir: string, key: string): Promise<Registration | undefined> {
  const all = await readRegistrations(stateDir)
  return all.find((one) => one.shared === key && !isGone(one))
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

/**
 * Undefined if the connection fails or the gateway refuses, for example because it is stopping. Rejects with
 * CannotShare if the gateway does not answer in time or has other values of variables.
 */
async function join(
  { address }: Registration,
  client: string,
  env: Environment['ownEnv'],
): Promise<Socket | undefined> {
  const socket = createConnection(address)
  const line = await firstLine(socket, joinRequest(client))
  const reply = line === undefined ? undefined : readJoinReply(line)
  if (reply === undefined) {
    socket.destroy()
    return undefined
  }
  const differing = differingVariables(reply, env)
  if (differing.length === 0) return socket
  socket.destroy()
  const values = differing.length === 1 ? 'has another value' : 'have other values'
  throw new CannotShare(`${quoteList(differing)} ${values} in the shared gateway, which another client has started`)
}

/**
 * Sends the request and reads one line. The gateway sends nothing more before it gets the first message of the client.
 * Undefined if the connection fails. Rejects with CannotShare after MAX_REPLY_MS.
 */
function firstLine(socket: Socket, request: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const held: Buffer[] = []
    const finish = (line: string | undefined) => {
      socket.off('data', onData).off('error', onFailure).off('close', onFailure).setTimeout(0)
      socket.pause()
      resolve(line)
    }
    const onFailure = () => finish(undefined)
    const onTimeout = () => {
      reject(new CannotShare('the shared gateway does not answer'))
      socket.destroy()
    }
    const onData = (chunk: Buffer) => {
      held.push(chunk)
      if (chunk.at(-1) === 0x0a) finish(Buffer.concat(held).toString())
    }
    socket.on('data', onData).on('error', onFailure).on('close', onFailure)
    socket.setTimeout(MAX_REPLY_MS, onTimeout)
    socket.write(request)
  })
}

/**
 * Starts the gateway as a detached process. It outlives this process, so it must not inherit the pipes of this process.
 * If two processes start a gateway with the same key, the second gateway exits with code 0.
 */
function startGateway(
  { program }: Environment,
  { key, folder, args }: SharedTarget,
  onEnd: (failure: string | undefined) => void,
): void {
  const child = spawn(process.execPath, [...process.execArgv, program, ...args, '--shared-key', key], {
    cwd: folder,
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  })
  child.on('error', (error) => onEnd(`the shared gateway cannot be started: ${error.message}`))
  // With exit code 0 another gateway with this key runs already. A killed process has no code.
  child.on('exit', (code) => {
    onEnd(code === 0 || code === null ? undefined : `the shared gateway ended while it started (exit code ${code})`)
  })
  child.unref()
}
