// Sends the same request to every running gateway of this user.

import { createConnection } from 'node:net'
import { createInterface } from 'node:readline'
import { isRecord } from '../../core/is-record.ts'
import { parseJson } from '../../core/json.ts'
import { messageOf } from '../../core/text.ts'
import { withTimeout } from '../../core/waiting.ts'
import { isGone, type Registration, readRegistrations, unregister } from './registration.ts'

export interface GatewayAnswer {
  readonly pid: number
  readonly startedAt: string
  /** Whether the gateway sent a reply. */
  readonly hasAnswered: boolean
  /** The reply, or the reason why there is none. */
  readonly reply: Readonly<Record<string, unknown>> | { readonly error: string }
}

export async function askGateways(
  stateDir: string,
  method: 'status' | 'reload',
  signal: AbortSignal,
  timeoutMs = 10_000,
): Promise<readonly GatewayAnswer[]> {
  const all = await readRegistrations(stateDir)
  const answers = await Promise.all(
    all.map(async (registration) => {
      const { pid, startedAt } = registration
      try {
        const reply = await withTimeout(timeoutMs, signal, (timeout) => ask(registration, method, timeout))
        return { pid, startedAt, hasAnswered: true, reply }
      } catch (error) {
        // The gateway was killed, so it could not remove its registration file.
        if (isGone(registration) || isRefused(error)) {
          await unregister(stateDir, pid)
          return undefined
        }
        return { pid, startedAt, hasAnswered: false, reply: { error: messageOf(error) } }
      }
    }),
  )
  return answers.filter((answer) => answer !== undefined)
}

function ask(
  { address }: Registration,
  method: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(address)
    const finish = (settle: () => void) => {
      signal.removeEventListener('abort', onAbort)
      socket.destroy()
      settle()
    }
    const onAbort = () => finish(() => reject(new Error('it did not answer in time')))
    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('error', (error) => finish(() => reject(error))).on('connect', () => socket.write(`${method}\n`))
    createInterface({ input: socket })
      .on('line', (line) => finish(() => resolve(readReply(line))))
      .on('close', () => finish(() => reject(new Error('it closed the connection'))))
      .on('error', (error) => finish(() => reject(error)))
  })
}

function readReply(line: string): Readonly<Record<string, unknown>> {
  const reply = parseJson(line)
  return isRecord(reply) ? reply : { error: 'its reply is not a JSON object' }
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNREFUSED' || error.code === 'ENOENT')
}
