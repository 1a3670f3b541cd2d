// The relay process of a client with a shared gateway. Built into one file, without the gateway.

import { parentConfigs } from '../../config/self.ts'
import { raise } from '../../core/errors.ts'
import { messageOf } from '../../core/text.ts'
import { type Environment, readEnvironment } from '../../setup/environment.ts'
import { END_SIGNALS } from './end-process.ts'
import { CannotShare, joinShared } from './join-shared.ts'
import { logLine } from './log-line.ts'
import { startRelay } from './relay.ts'
import { isClientName } from './shared-handshake.ts'
import { sharedTarget } from './shared-target.ts'

/**
 * Serves the client on stdin and stdout through the shared gateway. Ends the process when the client leaves or the
 * gateway cannot be started again. If the client must be served alone, returns false before it reads from stdin.
 */
export async function joinGateway(environment: Environment, words: readonly string[]): Promise<boolean> {
  // A server behind a gateway must not join that gateway: the gateway would be its own server.
  if (parentConfigs(environment.ownEnv).length > 0) return false
  const target = await sharedTarget(words, environment)
  if (!isClientName(target.client)) {
    const reason = '--client takes a name of at most 64 letters, digits and the characters . _ @ -'
    raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib serve' })
  }
  const { stdin: input, stdout: output } = process
  try {
    const socket = await joinShared(environment, target)
    const rejoin = () => joinShared(environment, target)
    const relay = startRelay({ input, output, socket, rejoin, say: logLine })
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
    return false
  }
}

/** Like `joinGateway`, with the environment of this process. If it rejects, the whole program reports the error. */
export async function joinQuickly(words: readonly string[]): Promise<boolean> {
  return joinGateway(readEnvironment(), words)
}
