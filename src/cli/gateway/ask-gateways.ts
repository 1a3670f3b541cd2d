// Asks every running gateway of this user for its state, or to read its configuration again.

import { createConnection } from 'node:net'
import { createInterface } from 'node:readline'
import { isRecord } from '../../core/is-record.ts'
import { parseJson } from '../../core/json.ts'
import { errorCode, messageOf } from '../../core/text.ts'
import { withTimeout } from '../../core/waiting.ts'
import type { Crib } from '../../crib/crib.ts'
import type { ServerSummary } from '../../disclosure/strategies/gateway/pages.ts'
import type { Choice } from '../../disclosure/strategy.ts'
import type { Work } from '../output/work.ts'
import { isGone, type Registration, readRegistrations, unregister } from './registration.ts'
import type { ServerCondition } from './unreachable.ts'

export interface GatewayAnswer {
  readonly pid: number
  /** Whether the gateway sent a reply. */
  readonly hasAnswered: boolean
  /** The reply, which is not checked. If the gateway sent none: an object with the reason in `error`. */
  readonly reply: Readonly<Record<string, unknown>>
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
      const { pid } = registration
      try {
        const reply = await withTimeout(timeoutMs, signal, (timeout) => ask(registration, method, timeout))
        return { pid, hasAnswered: true, reply }
      } catch (error) {
        // The gateway was killed, so it could not remove its registration file.
        if (isGone(registration) || ['ECONNREFUSED', 'ENOENT'].includes(errorCode(error) ?? '')) {
          await unregister(stateDir, pid)
          return undefined
        }
        return { pid, hasAnswered: false, reply: { error: messageOf(error) } }
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

/** `known` is the lowest: it only means that the server does not run in that gateway. */
const RANK: Readonly<Record<ServerSummary['state'], number>> = { connected: 3, starting: 2, failed: 1, known: 0 }

/** The states of the servers. If those of two gateways differ, the higher rank counts. Undefined if no gateway runs. */
export async function statesOfGateways(
  work: Pick<Work, 'environment' | 'signal'>,
): Promise<ReadonlyMap<string, ServerCondition> | undefined> {
  const { environment, signal } = work
  const answers = await askGateways(environment.stateDir, 'status', signal)
  if (answers.length === 0) return undefined
  const states = new Map<string, ServerCondition>()
  for (const { reply } of answers) {
    for (const { name, state, reason } of summariesIn(reply)) {
      const before = states.get(name)
      if (before !== undefined && RANK[before.state] >= RANK[state]) continue
      states.set(name, { state, ...(reason === undefined ? {} : { reason }) })
    }
  }
  return states
}

/** A gateway of another version may send other fields; a name and a state are enough. */
function summariesIn({ servers }: GatewayAnswer['reply']): readonly ServerSummary[] {
  const isSummary = (one: unknown): one is ServerSummary =>
    isRecord(one) && typeof one.name === 'string' && String(one.state) in RANK
  return Array.isArray(servers) ? servers.filter(isSummary) : []
}

/** The strategy of a running gateway. */
export interface StrategyState {
  readonly strategy: string
  readonly choice: Choice | null
  readonly strategyStats: Readonly<Record<string, unknown>>
}

export function strategyState(crib: Crib): StrategyState {
  return { strategy: crib.strategy.name, choice: crib.strategy.explain() ?? null, strategyStats: crib.strategy.stats() }
}

/** Reads the strategy from a reply. A gateway of another version may not send it. */
export function strategyStateIn({
  reply: { strategy, choice, strategyStats },
}: GatewayAnswer): StrategyState | undefined {
  if (typeof strategy !== 'string') return undefined
  return {
    strategy,
    choice: isChoice(choice) ? choice : null,
    strategyStats: isRecord(strategyStats) ? strategyStats : {},
  }
}

function isChoice(value: unknown): value is Choice {
  return (
    isRecord(value) && typeof value.strategy === 'string' && typeof value.reason === 'string' && isRecord(value.tokens)
  )
}
