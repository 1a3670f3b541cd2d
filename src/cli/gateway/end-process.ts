// Ends a serving process after a signal such as Ctrl-C or, over stdio, after its client has disconnected.

import { messageOf } from '../../core/text.ts'
import type { Door } from '../../front/doors.ts'
import { endOnBrokenPipe } from '../output/output.ts'
import { logLine } from './gateway-log.ts'

/** The signals that end a serving process, with the exit code. */
export const END_SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 0],
  ['SIGHUP', 0],
] as const

/** Waits for in-flight calls, then closes everything that the process opened. The process ends even if this fails. */
type Close = (hurry: AbortSignal) => Promise<unknown>

export function endOnSignalOrDisconnect(door: Door, close: Close): void {
  const { end } = endOnSignal(close)
  if (door.left === undefined) return
  // The front door cancels the calls of a client that no longer reads, and then resolves `left`.
  process.stdout.off('error', endOnBrokenPipe)
  void door.left.then(() => end(0))
}

/**
 * Handles signals until `forget` is called. The first signal waits for in-flight calls. The second signal, or the first
 * after the client has disconnected, cancels these calls. The next signal exits at once: the watchdog then ends the
 * servers.
 */
export function endOnSignal(close: Close): { end(exitCode: number): Promise<void>; forget(): void } {
  const hurry = new AbortController()
  let isEnding = false
  let exitCode = 0
  const end = async (code: number) => {
    if (isEnding) return
    isEnding = true
    exitCode = code
    await close(hurry.signal).catch((error) => logLine(messageOf(error)))
    process.exit(exitCode)
  }
  const onSignal = (code: number) => {
    if (!isEnding) return void end(code)
    exitCode = code
    if (hurry.signal.aborted) process.exit(exitCode)
    hurry.abort()
  }
  const listeners = END_SIGNALS.map(([signal, code]) => [signal, () => onSignal(code)] as const)
  for (const [signal, listener] of listeners) process.on(signal, listener)
  return {
    end,
    forget() {
      for (const [signal, listener] of listeners) process.off(signal, listener)
    },
  }
}

/** The options of a front door that print the calls for which the shutdown waits. */
export const endMessages = { say: logLine, hint: 'a second signal ends the wait' }
