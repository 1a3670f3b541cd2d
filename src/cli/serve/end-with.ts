// When a program that serves ends: Ctrl-C, TERM or, over stdio, the client leaving.

import { messageOf, onOneLine } from '../../core/text.ts'
import { oneLine } from '../output/text.ts'

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 0],
  ['SIGHUP', 0],
] as const

/** `close` lets calls under way finish, then stops what was started; however that ends, so does the process. */
export function endWith(isHttp: boolean, close: () => Promise<unknown>): void {
  const { end } = endOnSignal(close)
  if (!isHttp) process.stdin.once('end', () => void end(0)).once('close', () => void end(0))
}

/** Until it is told to forget. */
export function endOnSignal(close: () => Promise<unknown>): { end(exitCode: number): Promise<void>; forget(): void } {
  let isEnding = false
  const end = async (exitCode: number) => {
    if (isEnding) return
    isEnding = true
    await close().catch((error) => complain(messageOf(error)))
    process.exit(exitCode)
  }
  const heard = SIGNALS.map(([signal, code]) => [signal, () => void end(code)] as const)
  for (const [signal, listener] of heard) process.on(signal, listener)
  return {
    end,
    forget() {
      for (const [signal, listener] of heard) process.off(signal, listener)
    },
  }
}

/** On stderr: stdout may belong to the protocol. */
export function complain(message: string): void {
  process.stderr.write(`${onOneLine(`toolcrib: ${oneLine(message)}`)}\n`)
}
