// Joins the shared gateway of this user, and relays the messages of a client to it. Built into one file of its own.

import { spawn } from 'node:child_process'
import { createConnection, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentConfigs } from '../../config/self.ts'
import { raise } from '../../core/errors.ts'
import { messageOf, quoteList } from '../../core/text.ts'
import { outliveStderr } from '../../front/process-stdio.ts'
import { type Environment, readEnvironment } from '../../setup/environment.ts'
import { END_SIGNALS } from './end-process.ts'
import { logLine } from './gateway-log.ts'
import { isGone, MAX_START_MS, type Registration, readRegistrations } from './registration.ts'
import { startRelay } from './relay.ts'
import { differingVariables, isClientName, joinRequest, readJoinReply } from './shared-handshake.ts'
import { type SharedTarget, sharedTarget } from './shared-target.ts'

/**
 * Serves the client on stdin and stdout through the shared gateway. Ends the process when the client leaves or the
 * gateway cannot be started again. Returns only if the client must be served alone, before it reads from stdin.
 */
export async function joinGateway(environment: Environment, words: readonly string[]): Promise<void> {
  // A server behind a gateway must not join that gateway: the gateway would be its own server.
  if (parentConfigs(environment.ownEnv).length > 0) return
  const target = await sharedTarget(words, environment)
  if (!isClientName(target.client)) {
    const reason = '--client takes a name of at most 64 letters, digits and the characters . _ @ -'
    raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib serve' })
  }
  const { stdin: input, stdout: output } = process
  outliveStderr()
  const join = () => joinShared(environment, target)
  try {
    const relay = startRelay({ input, output, socket: await join(), rejoin: join, say: logLine })
    let exitCode: number | undefined
    for (const [signal, code] of END_SIGNALS) {
      process.on(signal, () => {
        exitCode = code
        relay.end()
      })
    }
    const code = await relay.ended
    // The last answers must be written before the process ends.
    await new Promise<void>((resolve) => output.write('', () => resolve()))
    process.exit(exitCode ?? code)
  } catch (error) {
    if (!(error instanceof CannotShare)) throw error
    logLine(`serving this client alone: ${messageOf(error)}`)
  }
}

/** Like `joinGateway`, with the environment of this process. If it rejects, the whole program reports the error. */
export async function joinQuickly(words: readonly string[]): Promise<void> {
  await joinGateway(readEnvironment(), words)
}

/** A running gateway answers in a few milliseconds. */
const MAX_REPLY_MS = 4_000
const RETRY_MS = 25

/** A reason to serve this client alone. The text completes the sentence "serving this client alone: …". */
class CannotShare extends Error {}

/**
 * Rejects with CannotShare if the running gateway has another version, has other values of variables or does not
 * answer, or if no gateway can be started.
 */
async function joinShared(environment: Environment, target: SharedTarget): Promise<Socket> {
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
      const socket = await joinRunning(running, target.client, environment.ownEnv)
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

/**
 * Undefined if the connection fails or the gateway refuses, for example because it is stopping. Rejects with
 * CannotShare if the gateway does not answer in time or has other values of variables.
 */
async function joinRunning(
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
