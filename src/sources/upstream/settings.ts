// The time and size limits of a source. Each limit is named here.

import { kindOf } from '../../config/connection-kinds.ts'
import type { ServerConfig } from '../../config/server-config.ts'
import { defined } from '../../core/defined.ts'
import type { Pinning } from './pins/server-pins.ts'

export interface UpstreamSettings {
  /**
   * From the start of the process or connection to the first answer, and to the list of tools if it is unknown
   * (120,000, because images or packages may be downloaded).
   */
  readonly startTimeoutMs: number
  /** How long a call waits for a start. The start itself continues (30,000). */
  readonly startWaitMs: number
  /** How long a server may take to answer the era probe before it counts as legacy (15,000). */
  readonly probeTimeoutMs: number
  /** For a page of the list, and for requests other than calls (30,000). */
  readonly listTimeoutMs: number
  /** The time of a call without an answer or progress (60,000, or the server's own `timeoutMs`). */
  readonly callTimeoutMs: number
  /** The total time of a call, even if it makes progress (3,600,000). */
  readonly maxCallMs: number
  /** How old a list may be before it is fetched again (3,600,000). */
  readonly ttlMs: number
  /** How long a cached protocol era is used before it is determined again (7 days). */
  readonly eraTtlMs: number
  /** Idle time before a stop. 0 means never (600,000 for processes and for servers of one person, never for others). */
  readonly idleMs: number
  /** The same for a server that was started only to fetch its list (30,000). */
  readonly listedIdleMs: number
  /** The longest wait after the first failed start (1,000). It doubles each time up to `maxBackoffMs` (300,000). */
  readonly backoffMs: number
  readonly maxBackoffMs: number
  /** How often a failed start in the background is tried again if the server has no manifest (5). */
  readonly backgroundTries: number
  /** The maximum number of questions to the client of one call (16). */
  readonly maxQuestions: number
  /** Whether tools that differ from their pins are marked or refused (`off`). */
  readonly pinning: Pinning
  /** See process.ts and stdio-transport.ts. */
  readonly graceMs?: number
  readonly maxFrameBytes?: number
}

const HOUR_MS = 3_600_000
/** The idle time of a server of one person. Without it, each person who ever connected would keep a process. */
const PERSON_IDLE_MS = 600_000

export function settingsFor(config: ServerConfig, given: Partial<UpstreamSettings> = {}): UpstreamSettings {
  const { connection, timeoutMs, idleMs } = config
  const defaults: UpstreamSettings = {
    startTimeoutMs: 120_000,
    startWaitMs: 30_000,
    probeTimeoutMs: 15_000,
    listTimeoutMs: 30_000,
    callTimeoutMs: 60_000,
    maxCallMs: HOUR_MS,
    ttlMs: HOUR_MS,
    eraTtlMs: 7 * 24 * HOUR_MS,
    idleMs: config.perPrincipal === true ? PERSON_IDLE_MS : kindOf(connection).idleMs,
    listedIdleMs: 30_000,
    backoffMs: 1_000,
    maxBackoffMs: 300_000,
    backgroundTries: 5,
    maxQuestions: 16,
    pinning: 'off',
  }
  return {
    ...defaults,
    ...given,
    // The settings of one server take precedence over those for all servers.
    ...defined({ callTimeoutMs: timeoutMs, idleMs }),
  }
}
