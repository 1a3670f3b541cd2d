// The end of a program that serves: by Ctrl-C, by TERM or, over stdio, because its client has left.

import { messageOf, onOneLine } from '../../core/text.ts'
import type { Door } from '../../front/doors.ts'
import { endOnBrokenPipe } from '../output/broken-pipe.ts'
import { oneLine } from '../output/text.ts'

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 0],
  ['SIGHUP', 0],
] as const

/** Lets calls in flight finish, and only then stops what was started; however that ends, so does the process. */
type Close = (hurry: AbortSignal) => Promise<unknown>

export function endWith(door: Door, close: Close): void {
  const { end } = endOnSignal(close)
  if (door.left === undefined) return
  // The door cancels the calls of a client that no longer reads, and then leaves.
  process.stdout.off('error', endOnBrokenPipe)
  void door.left.then(() => end(0))
}

/**
 * Until it is told to forget. The first signal lets calls in flight finish. A second one, or the first after the client
 * has left, cancels them. The next one does not wait for anything: the watchdog ends the servers.
 */
export function endOnSignal(close: Close): { end(exitCode: number): Promise<void>; forget(): void } {
  const hurry = new AbortController()
  let isEnding = false
  let exitCode = 0
  const end = async (code: number) => {
    if (isEnding) return
    isEnding = true
    exitCode = code
    await close(hurry.signal).catch((error) => complain(messageOf(error)))
    process.exit(exitCode)
  }
  const onSignal = (code: number) => {
    if (!isEnding) return void end(code)
    exitCode = code
    if (hurry.signal.aborted) process.exit(exitCode)
    hurry.abort()
  }
  const heard = SIGNALS.map(([signal, code]) => [signal, () => onSignal(code)] as const)
  for (const [signal, listener] of heard) process.on(signal, listener)
  return {
    end,
    forget() {
      for (const [signal, listener] of heard) process.off(signal, listener)
    },
  }
}

/** Says which calls the end waits for. */
export const endMessages = { say: complain, hint: 'a second signal ends the wait' }

/** On stderr: stdout may belong to the protocol. */
export function complain(message: string): void {
  process.stderr.write(`${onOneLine(`toolcrib: ${oneLine(message)}`)}\n`)
}
