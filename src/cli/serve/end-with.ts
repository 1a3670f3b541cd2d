// When a program that serves ends: Ctrl-C, TERM or, over stdio, the client leaving.

import { messageOf, onOneLine } from '../../core/text.ts'

/** `close` lets calls under way finish, then stops what was started; however that ends, so does the process. */
export function endWith(isHttp: boolean, close: () => Promise<unknown>): void {
  let isEnding = false
  const end = async (exitCode: number) => {
    if (isEnding) return
    isEnding = true
    await close().catch((error) => complain(messageOf(error)))
    process.exit(exitCode)
  }
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 0],
    ['SIGHUP', 0],
  ] as const) {
    process.on(signal, () => void end(code))
  }
  if (!isHttp) process.stdin.once('end', () => void end(0)).once('close', () => void end(0))
}

/** On stderr: stdout may belong to the protocol. */
export function complain(message: string): void {
  process.stderr.write(`${onOneLine(`toolcrib: ${message}`)}\n`)
}
